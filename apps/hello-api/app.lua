-- A tool that asks somebody else's API over HTTP.
-- docs/authoring.md has the whole vocabulary.

-- The operator may choose another address, as [app] api_url in trails.toml or as
-- TRAILS_APP_API_URL. The API's key is a secret: TRAILS_SECRET_API_KEY.
local api = setting "api_url" (uri { default = "https://api.example.com/v1" })

capability "weather" {
  description = "The weather in a city now.",
  input = { city = text { min_length = 1, max_length = 80 } },
  side_effects = { external_calls = { api } },
  run = function(ctx, args)
    local reply, why = ctx:fetch { url = api .. "/weather", query = { city = args.city },
      headers = { Authorization = "Bearer " .. ctx:secret "API_KEY" } }
    if not reply then return ctx:error("the API cannot be reached: " .. why.message) end
    if not reply.ok then return ctx:error("the API says " .. reply.status) end
    return reply:json()
  end,
}

-- What the app keeps itself.
node_type "City" {
  description = "A city that somebody asks for often.",
  fields = { { "name", text { min_length = 1, max_length = 80, unique = true, search = true } } },
  tools = { "create", "find" },
}
