-- A first app. Everything defined here is offered to MCP clients.
-- docs/authoring.md has the whole vocabulary.

-- A type is what the app keeps. Each one that is made is checked first; `tools`
-- gives agents ready-made tools for it, here create_person and find_person.
node_type "Person" {
  description = "Somebody to greet.",
  fields = {
    { "name", text { min_length = 1, max_length = 80, unique = true, search = true } },
    { "likes", text { optional = true, max_length = 200, search = true } },
  },
  tools = { "create", "find" },
}

-- A capability is a function that agents can call: a tool. What `input` says
-- is checked before `run` is called, and shown to agents as JSON Schema.
capability "greet" {
  description = "Greets somebody by name.",
  input = {
    name = text { min_length = 1, max_length = 80, description = "Who is greeted." },
    loud = boolean { default = false, description = "Whether to shout." },
  },
  side_effects = {},
  run = function(ctx, args)
    local greeting = "Hello, " .. args.name .. "!"
    if args.loud then greeting = greeting:upper() end
    return greeting
  end,
}

-- A resource is something that agents can read.
resource "hello://about" {
  name = "about",
  description = "What this app is for.",
  mime_type = "text/plain",
  run = function() return "It greets people." end,
}

-- A prompt is a text that a person can pick, with blanks to fill in.
prompt "introduce" {
  description = "Introduces somebody.",
  arguments = { name = text { description = "Who is introduced." } },
  run = function(ctx, args)
    return "Write two friendly sentences that introduce " .. args.name .. "."
  end,
}
