-- What test/load drives: changes, progress, long calls and large results.

-- What is touched and watched.
for _, name in ipairs { "a", "b", "none" } do
  resource("load:" .. name) { name = name, run = function() return name end }
end
resource_template "load://{name}" { name = "one", run = function(_, args) return args.name end }
resource_template "load://{of}/{number}" { name = "of_many", run = function(_, args) return args.number end }

capability "touch" {
  description = "Tells that resources have changed, in this order.",
  input = { uris = text { many = true, max_count = 1000 } },
  side_effects = {},
  run = function(ctx, args)
    for _, uri in ipairs(args.uris) do ctx:updated(uri) end
    return "touched"
  end,
}

capability "wait" {
  description = "Says that it has begun, and waits.",
  input = { seconds = number },
  side_effects = {},
  run = function(ctx, args)
    ctx:progress(1)
    ctx:sleep(args.seconds)
    return "waited"
  end,
}

capability "large" {
  description = "Returns a text of so many bytes.",
  input = { bytes = integer { min_value = 1, max_value = 4000000 } },
  side_effects = {},
  run = function(ctx, args) return ("x"):rep(args.bytes) end,
}

capability "flood" {
  description = "Logs so many texts of so many bytes.",
  input = { count = integer, bytes = integer },
  side_effects = {},
  run = function(ctx, args)
    local data = ("x"):rep(args.bytes)
    for i = 1, args.count do
      ctx:log("info", data)
      if i % 16 == 0 then ctx:sleep(0) end
    end
    return "flooded"
  end,
}

capability "count" {
  description = "Counts: progress and a log line for each, all with the name.",
  input = {
    name = text,
    to = integer,
    pause = number { default = 0 },
    close_at = integer { default = 0, description = "When to end the stream." },
  },
  side_effects = {},
  run = function(ctx, args)
    for i = 1, args.to do
      local text = args.name .. ":" .. i
      ctx:progress(i, args.to, text)
      ctx:log("info", text)
      if i == args.close_at then ctx:close_stream() end
      ctx:sleep(args.pause)
    end
    return args.name
  end,
}

resource_template "load://{kind}/{name}" {
  name = "any",
  description = "Something that may change.",
  run = function(ctx, args) return args.name end,
}
