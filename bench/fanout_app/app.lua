-- What bench/fanout.c measures; bench/fanout_rival.mjs has the same tools.
local function touch(name, count)
  capability(name) {
    description = "Tells of so many changes.",
    side_effects = {},
    run = function(ctx)
      for i = 0, count - 1 do ctx:updated("bench:" .. i) end
      return "touched"
    end,
  }
end
touch("touch_one", 1)
touch("touch_five", 5)

for i = 0, 4 do
  resource("bench:" .. i) { name = "watched_" .. i, run = function() return "" end }
end
