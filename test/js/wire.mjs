// Checks every message the server sends against the JSON Schema of its
// revision, from TRAILS_SUITES (default ../shared/suites).
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

const folder = join(process.env.TRAILS_SUITES ?? "../shared/suites", "mcp-schema");

export const haveSchemas = existsSync(folder);

const resultOf = {
  initialize: "InitializeResult",
  "server/discover": "DiscoverResult",
  "tools/list": "ListToolsResult",
  "tools/call": "CallToolResult",
  "resources/list": "ListResourcesResult",
  "resources/templates/list": "ListResourceTemplatesResult",
  "resources/read": "ReadResourceResult",
  "prompts/list": "ListPromptsResult",
  "prompts/get": "GetPromptResult",
  "completion/complete": "CompleteResult",
};

const validators = new Map();

function schemaFor(revision) {
  if (!validators.has(revision)) {
    const schema = JSON.parse(readFileSync(join(folder, `${revision}.json`), "utf8"));
    const draft07 = String(schema.$schema).includes("draft-07");
    const ajv = new (draft07 ? Ajv : Ajv2020)({ strict: false, allErrors: true });
    addFormats.default(ajv);
    ajv.addSchema(schema, "mcp");
    const place = schema.$defs ? "$defs" : "definitions";
    validators.set(revision, (name) => ajv.getSchema(`mcp#/${place}/${name}`));
  }
  return validators.get(revision);
}

// One conversation: remembers what was asked, to know what an answer must be.
export class Wire {
  constructor(revision) {
    this.revision = revision;
    this.asked = new Map();
    this.checked = 0;
  }

  sent(message) {
    if (message.method && message.id !== undefined) this.asked.set(message.id, message.method);
  }

  received(message) {
    if (!haveSchemas) return;
    const schema = schemaFor(this.revision);
    this.#check(schema("JSONRPCMessage"), message, "JSONRPCMessage");
    if (message.result) {
      const inputRequired = message.result.resultType === "input_required";
      const name = inputRequired ? "InputRequiredResult" : resultOf[this.asked.get(message.id)];
      if (name) this.#check(schema(name), message.result, name);
    } else if (message.method && message.id === undefined) {
      this.#check(schema("ServerNotification"), message, "ServerNotification");
    }
    this.checked++;
  }

  #check(validate, value, name) {
    if (validate && !validate(value)) {
      throw new Error(`not a valid ${name}: ${JSON.stringify(validate.errors)}\n${JSON.stringify(value)}`);
    }
  }
}

// Wraps a transport of the official clients so that the wire sees everything.
export function watch(transport, wire, failures) {
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    for (const one of Array.isArray(message) ? message : [message]) wire.sent(one);
    return send(message, options);
  };
  let handler;
  Object.defineProperty(transport, "onmessage", {
    get: () => handler,
    set: (wanted) => {
      handler = wanted && ((message, extra) => {
        try {
          wire.received(message);
        } catch (error) {
          failures.push(error);
        }
        return wanted(message, extra);
      });
    },
  });
  return transport;
}
