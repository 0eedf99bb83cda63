-- What the official MCP conformance suite asks a server to have, written as an
-- ordinary app: if it can be said here, any author can say it.

local PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
local WAV = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="

-- The suite calls the first tool without arguments; tools are listed by name.
capability "about" {
  description = "Says what this app is for.",
  side_effects = {},
  run = function() return "the fixtures of the MCP conformance suite" end,
}

-- Content ---------------------------------------------------------------------

capability "test_simple_text" {
  description = "Returns a text.",
  side_effects = {},
  run = function() return "This is a simple text response for testing." end,
}

capability "test_image_content" {
  description = "Returns an image.",
  side_effects = {},
  run = function(ctx) return ctx:image(PNG, "image/png") end,
}

capability "test_audio_content" {
  description = "Returns a sound.",
  side_effects = {},
  run = function(ctx) return ctx:audio(WAV, "audio/wav") end,
}

capability "test_embedded_resource" {
  description = "Returns a resource.",
  side_effects = {},
  run = function(ctx)
    return ctx:resource {
      uri = "test://embedded-resource",
      mime_type = "text/plain",
      text = "This is an embedded resource content.",
    }
  end,
}

capability "test_multiple_content_types" {
  description = "Returns a text, an image and a resource.",
  side_effects = {},
  run = function(ctx)
    return {
      ctx:text("Multiple content types test:"),
      ctx:image(PNG, "image/png"),
      ctx:resource {
        uri = "test://mixed-content-resource",
        mime_type = "application/json",
        text = '{"test":"data","value":123}',
      },
    }
  end,
}

capability "test_error_handling" {
  description = "Returns an error.",
  side_effects = {},
  run = function(ctx)
    return ctx:error("This tool intentionally returns an error for testing")
  end,
}

-- While it runs ---------------------------------------------------------------

capability "test_tool_with_progress" {
  description = "Reports progress three times.",
  side_effects = {},
  run = function(ctx)
    ctx:progress(0, 100)
    ctx:sleep(0.05)
    ctx:progress(50, 100)
    ctx:sleep(0.05)
    ctx:progress(100, 100)
    return "done"
  end,
}

capability "test_tool_with_logging" {
  description = "Logs three times.",
  side_effects = {},
  run = function(ctx)
    ctx:log("info", "Tool execution started")
    ctx:sleep(0.05)
    ctx:log("info", "Tool processing data")
    ctx:sleep(0.05)
    ctx:log("info", "Tool execution completed")
    return "done"
  end,
}

capability "test_logging_tool" {
  description = "Logs, for clients that asked for it.",
  side_effects = {},
  run = function(ctx)
    ctx:log("info", "test_logging_tool was called")
    return "logged"
  end,
}

capability "test_reconnection" {
  description = "Drops the connection while it runs.",
  side_effects = {},
  run = function(ctx)
    ctx:close_stream()
    ctx:sleep(0.1)
    return "Reconnection test completed successfully."
  end,
}

capability "test_trigger_tool_change" {
  description = "Tells that the list of tools has changed.",
  side_effects = {},
  run = function(ctx)
    ctx:list_changed("tools")
    return "told"
  end,
}

capability "test_trigger_prompt_change" {
  description = "Tells that the list of prompts has changed.",
  side_effects = {},
  run = function(ctx)
    ctx:list_changed("prompts")
    return "told"
  end,
}

-- Asking the client -----------------------------------------------------------

local function answer_text(result)
  return result.content and result.content.text or ""
end

capability "test_sampling" {
  description = "Asks the client's model.",
  input = { prompt = text },
  side_effects = {},
  run = function(ctx, args)
    local result = ctx:sample {
      messages = { { role = "user", content = { type = "text", text = args.prompt } } },
      max_tokens = 100,
    }
    return "LLM response: " .. answer_text(result)
  end,
}

capability "test_elicitation" {
  description = "Asks the user.",
  input = { message = text },
  side_effects = {},
  run = function(ctx, args)
    local result = ctx:elicit {
      message = args.message,
      schema = {
        type = "object",
        properties = {
          username = { type = "string", description = "User's response" },
          email = { type = "string", description = "User's email address" },
        },
        required = { "username", "email" },
      },
    }
    return "User response: " .. json.encode(result)
  end,
}

capability "test_elicitation_sep1034_defaults" {
  description = "Asks the user, with a default for each field.",
  side_effects = {},
  run = function(ctx)
    local result = ctx:elicit {
      message = "Please review these values.",
      schema = {
        type = "object",
        properties = {
          name = { type = "string", default = "John Doe" },
          age = { type = "integer", default = 30 },
          score = { type = "number", default = 95.5 },
          status = {
            type = "string",
            enum = { "active", "inactive", "pending" },
            default = "active",
          },
          verified = { type = "boolean", default = true },
        },
        required = array {},
      },
    }
    return "Elicitation completed: action=" .. result.action
      .. ", content=" .. json.encode(result.content or {})
  end,
}

capability "test_elicitation_sep1330_enums" {
  description = "Asks the user to choose, in five ways.",
  side_effects = {},
  run = function(ctx)
    local titled = {
      { const = "value1", title = "First Option" },
      { const = "value2", title = "Second Option" },
      { const = "value3", title = "Third Option" },
    }
    local result = ctx:elicit {
      message = "Please choose.",
      schema = {
        type = "object",
        properties = {
          untitledSingle = { type = "string", enum = { "option1", "option2", "option3" } },
          titledSingle = { type = "string", oneOf = titled },
          legacyEnum = {
            type = "string",
            enum = { "opt1", "opt2", "opt3" },
            enumNames = { "Option One", "Option Two", "Option Three" },
          },
          untitledMulti = {
            type = "array",
            items = { type = "string", enum = { "option1", "option2", "option3" } },
          },
          titledMulti = { type = "array", items = { anyOf = titled } },
        },
        required = array {},
      },
    }
    return "Elicitation completed: action=" .. result.action
      .. ", content=" .. json.encode(result.content or {})
  end,
}

capability "test_streaming_elicitation" {
  description = "Returns a text to a client that could be asked.",
  side_effects = {},
  run = function() return "nothing had to be asked" end,
}

capability "test_missing_capability" {
  description = "Needs a client with a model.",
  side_effects = {},
  run = function(ctx)
    local result = ctx:sample { prompt = "Say something.", max_tokens = 10 }
    return "LLM response: " .. answer_text(result)
  end,
}

local function ask_name(key)
  return elicit {
    key = key,
    message = "What is your name?",
    schema = { type = "object", properties = { name = { type = "string" } }, required = { "name" } },
  }
end

local function name_of(result)
  return result.content and result.content.name or "nobody"
end

local function confirm(key)
  return elicit {
    key = key,
    message = "Go on?",
    schema = { type = "object", properties = { ok = { type = "boolean" } }, required = { "ok" } },
  }
end

capability "test_input_required_result_elicitation" {
  description = "Asks for a name and greets.",
  side_effects = {},
  run = function(ctx)
    local answers = ctx:ask { user_name = ask_name() }
    return "Hello, " .. name_of(answers.user_name) .. "!"
  end,
}

capability "test_input_required_result_sampling" {
  description = "Asks the client's model for a capital.",
  side_effects = {},
  run = function(ctx)
    local answers = ctx:ask {
      capital_question = sample { prompt = "What is the capital of France?", max_tokens = 100 },
    }
    return "LLM response: " .. answer_text(answers.capital_question)
  end,
}

capability "test_input_required_result_list_roots" {
  description = "Asks for the client's roots.",
  side_effects = {},
  run = function(ctx)
    local answers = ctx:ask { client_roots = roots {} }
    return "Roots: " .. json.encode(answers.client_roots.roots)
  end,
}

capability "test_input_required_result_request_state" {
  description = "Keeps state between two rounds.",
  side_effects = {},
  run = function(ctx)
    local before = ctx:random(1, 1000000)
    ctx:ask { confirm = confirm() }
    return "state-ok " .. before
  end,
}

capability "test_input_required_result_multiple_inputs" {
  description = "Asks three things at once.",
  side_effects = {},
  run = function(ctx)
    local answers = ctx:ask {
      user_name = ask_name(),
      greeting = sample { prompt = "Say hello.", max_tokens = 50 },
      client_roots = roots {},
    }
    return answer_text(answers.greeting) .. " " .. name_of(answers.user_name)
      .. ", " .. #answers.client_roots.roots .. " roots"
  end,
}

capability "test_input_required_result_multi_round" {
  description = "Asks twice.",
  side_effects = {},
  run = function(ctx)
    local name = ctx:ask { step1 = elicit { message = "Step 1: What is your name?", fields = { name = text } } }
    local color =
      ctx:ask { step2 = elicit { message = "Step 2: What is your favorite color?", fields = { color = text } } }
    return name.step1.content.name .. " likes " .. color.step2.content.color
  end,
}

capability "test_input_required_result_tampered_state" {
  description = "Asks once; its state cannot be changed.",
  side_effects = {},
  run = function(ctx)
    ctx:ask { confirm = confirm() }
    return "confirmed"
  end,
}

capability "test_input_required_result_capabilities" {
  description = "Asks only what the client can answer.",
  side_effects = {},
  run = function(ctx)
    local can = ctx.client.capabilities
    local questions = {}
    if can.elicitation then questions.user_name = ask_name() end
    if can.sampling then
      questions.greeting = sample { prompt = "Say hello.", max_tokens = 50 }
    end
    if not next(questions) then return "the client can answer nothing" end
    ctx:ask(questions)
    return "asked"
  end,
}

-- Schemas ---------------------------------------------------------------------

capability "json_schema_2020_12_tool" {
  description = "Has a JSON Schema of its own.",
  input_schema = [[{
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
      "address": {
        "$anchor": "addressDef",
        "type": "object",
        "properties": {"street": {"type": "string"}, "city": {"type": "string"}}
      }
    },
    "properties": {
      "name": {"type": "string"},
      "address": {"$ref": "#/$defs/address"},
      "contactMethod": {"type": "string", "enum": ["phone", "email"]},
      "phone": {"type": "string"},
      "email": {"type": "string"}
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {
      "properties": {"contactMethod": {"const": "phone"}},
      "required": ["contactMethod"]
    },
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": false
  }]],
  side_effects = {},
  run = function(_, args) return args end,
}

capability "test_x_mcp_header" {
  description = "Has an argument that is also a header.",
  input_schema = [[{
    "type": "object",
    "properties": {
      "region": {"type": "string", "x-mcp-header": "Region"},
      "level": {"type": "integer"}
    }
  }]],
  side_effects = {},
  run = function(_, args) return "region=" .. tostring(args.region) end,
}

-- Prompts ---------------------------------------------------------------------

prompt "test_simple_prompt" {
  description = "A prompt without arguments.",
  run = function() return "This is a simple prompt for testing." end,
}

prompt "test_prompt_with_arguments" {
  description = "A prompt with two arguments.",
  arguments = {
    arg1 = text { description = "The first." },
    arg2 = text { description = "The second." },
  },
  run = function(_, args)
    return ("Prompt with arguments: arg1='%s', arg2='%s'"):format(args.arg1, args.arg2)
  end,
}

prompt "test_prompt_with_embedded_resource" {
  description = "A prompt with a resource in it.",
  arguments = { resourceUri = text { description = "The resource." } },
  run = function(ctx, args)
    return {
      messages = {
        {
          role = "user",
          content = ctx:resource {
            uri = args.resourceUri,
            mime_type = "text/plain",
            text = "Embedded resource content for testing.",
          },
        },
        { role = "user", content = ctx:text("Please process the embedded resource above.") },
      },
    }
  end,
}

prompt "test_prompt_with_image" {
  description = "A prompt with an image in it.",
  run = function(ctx)
    return {
      messages = {
        { role = "user", content = ctx:image(PNG, "image/png") },
        { role = "user", content = ctx:text("Please analyze the image above.") },
      },
    }
  end,
}

prompt "test_input_required_result_prompt" {
  description = "A prompt that asks first.",
  run = function(ctx)
    local answers = ctx:ask {
      user_context = elicit {
        message = "What is it about?",
        schema = { type = "object", properties = { context = { type = "string" } }, required = { "context" } },
      },
    }
    local content = answers.user_context.content or {}
    return "Use this context: " .. tostring(content.context)
  end,
}

completion {
  prompt = "test_prompt_with_arguments",
  argument = "arg1",
  run = function(_, args)
    local values = array {}
    for _, word in ipairs { "paris", "park", "party" } do
      if word:sub(1, #args.value) == args.value then values[#values + 1] = word end
    end
    return values
  end,
}

-- Resources -------------------------------------------------------------------

resource "test://static-text" {
  name = "static-text",
  description = "A text that does not change.",
  mime_type = "text/plain",
  run = function() return "This is the content of the static text resource." end,
}

resource "test://static-binary" {
  name = "static-binary",
  description = "An image that does not change.",
  mime_type = "image/png",
  run = function() return { blob = PNG } end,
}

resource "test://watched-resource" {
  name = "watched-resource",
  description = "A text to subscribe to.",
  mime_type = "text/plain",
  run = function() return "This resource can be watched." end,
}

resource_template "test://template/{id}/data" {
  name = "template",
  description = "Data by id.",
  mime_type = "application/json",
  run = function(_, args)
    return json.encode { id = args.id, templateTest = true, data = "Data for ID: " .. args.id }
  end,
}
