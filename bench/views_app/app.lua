-- What bench/views.c measures: five hundred capabilities, of which every view
-- has something to say.
for i = 1, 500 do
  capability(("station.capability_%03d"):format(i)) {
    description = "Finds the parts of a station that match a text, newest first.",
    input = {
      query = text { min_length = 1, max_length = 200, description = "What to look for." },
      limit = integer { min_value = 1, max_value = 100, default = 20, description = "How many." },
      kind = text { one_of = { "dock", "lock", "hub" }, optional = true },
    },
    output = {
      count = integer { description = "How many there are." },
      first = text { optional = true },
    },
    side_effects = {},
    cost = { tokens = 200, latency_p50_ms = 5, latency_p95_ms = 20 },
    run = function() return { count = 0 } end,
  }
end
