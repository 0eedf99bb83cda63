-- What bench/mcp.c measures: twenty tools, one of which returns a constant.
for i = 1, 20 do
  capability(("tool_%02d"):format(i)) {
    description = "Finds the items that match a text, newest first.",
    input = {
      query = text { min_length = 1, max_length = 200, description = "What to look for." },
      limit = integer { min_value = 1, max_value = 100, default = 20, description = "How many." },
      kind = text { one_of = { "note", "task", "person" }, optional = true },
    },
    side_effects = {},
    run = function() return "nothing found" end,
  }
end

resource "bench:listened" { name = "listened", run = function() return "" end }
