// The agent hosts that npm has: how each is started without a credential, with a
// model and one MCP server, in a folder that is its home. Telemetry and updates are
// off. `server` is { url, token? } or { command, args }.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

function write(file, value) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof value === "string" ? value : JSON.stringify(value, null, 2));
}

const bearer = ({ token }) => (token ? { Authorization: `Bearer ${token}` } : {});
const KEY = "none"; // the model takes any

// Its npm package brings its program in a package per platform; an installer that
// we do not run would only put it elsewhere.
const claude = {
  host: "Claude Code", npm: "@anthropic-ai/claude-code@2.1.327",
  program: "@anthropic-ai/claude-code-linux-x64/claude",
  setup(home, model, server) {
    const entry = server.url ? { type: "http", url: server.url, headers: bearer(server) } : { type: "stdio", ...server };
    write(join(home, "mcp.json"), { mcpServers: { demo: entry } });
    return {
      args: ["-p", "go on", "--mcp-config", join(home, "mcp.json"), "--strict-mcp-config", "--allowedTools", "mcp__demo"],
      env: {
        ANTHROPIC_BASE_URL: model, ANTHROPIC_API_KEY: KEY, CLAUDE_CONFIG_DIR: join(home, ".claude"),
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", DISABLE_TELEMETRY: "1", DISABLE_AUTOUPDATER: "1",
        DISABLE_ERROR_REPORTING: "1", ENABLE_TOOL_SEARCH: "false", // so that the model is given the tools themselves
      },
    };
  },
};

// JSON strings and arrays of them are TOML, too.
const toml = (object) => Object.entries(object).map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`).join("");

const codex = {
  host: "Codex", npm: "@openai/codex@0.169.0", program: "@openai/codex/bin/codex.js", isScript: true,
  setup(home, model, server) {
    const entry = server.url
      ? { url: server.url, ...(server.token ? { bearer_token_env_var: "DEMO_TOKEN" } : {}) }
      : { command: server.command, args: server.args };
    write(join(home, ".codex/config.toml"), [
      toml({ model: "scripted", model_provider: "scripted", approval_policy: "never", check_for_update_on_startup: false }),
      "[analytics]\n", toml({ enabled: false }),
      "[features]\n", toml({ apps: false, plugins: false, remote_plugin: false, in_app_updates: false }),
      "[model_providers.scripted]\n", toml({ name: "scripted", base_url: `${model}/v1`, wire_api: "responses", env_key: "MODEL_KEY" }),
      "[mcp_servers.demo]\n", toml({ ...entry, default_tools_approval_mode: "approve" }),
    ].join(""));
    return {
      args: ["exec", "--skip-git-repo-check", "--sandbox", "read-only", "go on"],
      env: { CODEX_HOME: join(home, ".codex"), MODEL_KEY: KEY, DEMO_TOKEN: server.token ?? "" },
    };
  },
};

const gemini = {
  host: "Gemini CLI", npm: "@google/gemini-cli@0.61.0", program: "@google/gemini-cli/bundle/gemini.js", isScript: true,
  setup(home, model, server) {
    const entry = server.url ? { httpUrl: server.url, headers: bearer(server) } : server;
    write(join(home, ".gemini/settings.json"), {
      security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
      telemetry: { enabled: false }, privacy: { usageStatisticsEnabled: false },
      general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
      mcpServers: { demo: { ...entry, trust: true } },
    });
    return {
      args: ["-m", "gemini-2.5-flash", "--approval-mode", "yolo", "-p", "go on"],
      env: { GEMINI_API_KEY: KEY, GOOGLE_GEMINI_BASE_URL: model, GEMINI_CLI_TRUST_WORKSPACE: "true" },
    };
  },
};

const opencode = {
  host: "opencode", npm: "opencode-ai@1.18.33", program: "opencode-linux-x64/bin/opencode",
  setup(home, model, server) {
    const entry = server.url ? { type: "remote", url: server.url, headers: bearer(server), oauth: false }
      : { type: "local", command: [server.command, ...server.args] };
    write(join(home, "opencode.json"), {
      share: "disabled", autoupdate: false, model: "scripted/scripted", small_model: "scripted/scripted", permission: "allow",
      provider: { scripted: { npm: "@ai-sdk/openai-compatible", name: "scripted",
        options: { baseURL: `${model}/v1`, apiKey: KEY }, models: { scripted: { name: "scripted", tool_call: true } } } },
      mcp: { demo: { ...entry, enabled: true } },
    });
    return {
      args: ["run", "go on"],
      env: { OPENCODE_CONFIG: join(home, "opencode.json"), OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1",
        OPENCODE_DISABLE_LSP_DOWNLOAD: "1", OPENCODE_DISABLE_DEFAULT_PLUGINS: "1" },
    };
  },
};

export const HOSTS = [claude, codex, gemini, opencode];
