-- The requirements of a small engineering project, as agents meet them: types
-- with rules, functions that keep the rules between types, something to read.
-- seed.ttl has the data; docs/authoring.md explains every word used here.

local STATES = { "proposed", "accepted", "implemented", "verified", "rejected" }
local OPEN, DONE = { "proposed", "accepted", "implemented" }, { "verified", "rejected" }
local LIVE = { "proposed", "accepted", "implemented", "verified" }
local KINDS = { "functional", "performance", "safety", "security", "usability", "maintenance" }
local KEY = [[^[A-Z]{2,8}-[1-9][0-9]{0,4}$]]
local TEST_KEY = [[^[A-Z]{2,8}-T[1-9][0-9]{0,4}$]]
local DECISION_KEY = [[^[A-Z]{2,8}-D[1-9][0-9]{0,4}$]]

-- What there is ---------------------------------------------------------------

node_type "Project" {
  description = "What is being built. Its code is the first half of every key.",
  label = "name",
  ids = "preserve",
  fields = {
    { "code", text { pattern = "^[A-Z]{2,8}$", unique = true } },
    { "name", text { min_length = 3, max_length = 80, search = true } },
    { "purpose", text { max_length = 500, search = true } },
    { "last_requirement", integer { min_value = 0, description = "The last number that the seed has." } },
    { "last_decision", integer { min_value = 0 } },
    { "last_test", integer { min_value = 0 } },
  },
}

node_type "Person" {
  description = "Somebody in the team.",
  fields = {
    { "name", text { min_length = 2, max_length = 80, search = true } },
    { "email", text { pattern = [[^[^@\s]+@[^@\s]+$]], unique = true } },
    { "role", text { max_length = 80, search = true } },
  },
  tools = { "create", "update", "find" },
}

node_type "Component" {
  description = "A part of what is being built.",
  fields = {
    { "project", ref "Project" },
    { "name", text { min_length = 3, max_length = 80, search = true } },
    { "purpose", text { max_length = 500, search = true } },
    { "lead", ref "Person" },
  },
  unique = { { "project", "name" } },
  tools = { "create", "update", "delete", "find" },
}

node_type "Requirement" {
  description = "Something that must hold of what is being built.",
  label = "title",
  ids = "preserve",
  fields = {
    { "project", ref "Project" },
    { "number", integer { min_value = 1, max_value = 99999 } },
    { "title", text { min_length = 8, max_length = 120, search = true } },
    { "statement", text { min_length = 20, max_length = 1000, search = true,
        description = "One sentence with 'shall' that a test can decide." } },
    { "rationale", text { optional = true, max_length = 1000, search = true } },
    { "kind", text { one_of = KINDS } },
    { "state", text { one_of = STATES } },
    { "priority", integer { min_value = 1, max_value = 5, description = "1 is the most urgent." } },
    { "owner", ref "Person" { optional = true } },
    { "components", ref "Component" { many = true, optional = true, max_count = 5 } },
    { "depends_on", ref "Requirement" { many = true, optional = true, max_count = 20 } },
    { "raised", datetime },
    { "due", datetime { optional = true } },
  },
  unique = { { "project", "number" } },
}

node_type "SafetyRequirement" {
  description = "A requirement that keeps somebody from being hurt.",
  extends = "Requirement",
  ids = "preserve",
  fields = {
    { "hazard", text { min_length = 8, max_length = 300, search = true, description = "What could happen." } },
    { "integrity", integer { min_value = 1, max_value = 4, description = "The safety integrity level." } },
  },
}

shape "SafetyIsOwned" {
  description = "Every safety requirement is somebody's.",
  target = "SafetyRequirement",
  fields = { owner = ref "Person" },
}

node_type "Decision" {
  description = "What was decided, and why; it is about requirements.",
  label = "title",
  ids = "preserve",
  fields = {
    { "project", ref "Project" },
    { "number", integer { min_value = 1, max_value = 99999 } },
    { "title", text { min_length = 8, max_length = 120, search = true } },
    { "context", text { min_length = 20, max_length = 2000, search = true } },
    { "outcome", text { min_length = 8, max_length = 2000, search = true } },
    { "about", ref "Requirement" { many = true, max_count = 20 } },
    { "made_by", ref "Person" { many = true, max_count = 10 } },
    { "made", datetime },
    { "supersedes", ref "Decision" { optional = true } },
  },
  unique = { { "project", "number" } },
}

node_type "TestCase" {
  description = "How it is found out whether requirements hold.",
  label = "title",
  ids = "preserve",
  fields = {
    { "project", ref "Project" },
    { "number", integer { min_value = 1, max_value = 99999 } },
    { "title", text { min_length = 8, max_length = 160, search = true } },
    { "verifies", ref "Requirement" { many = true, max_count = 10 } },
    { "result", text { one_of = { "not_run", "passed", "failed" } } },
    { "ran", datetime { optional = true } },
    { "note", text { optional = true, max_length = 1000, search = true } },
  },
  unique = { { "project", "number" } },
}

-- Finding things --------------------------------------------------------------

-- The key is the end of the id: trails://requirements/Requirement/DOCK-12.
local function key_of(id)
  return id:match("[^/]+$")
end

local function keys_of(ids)
  local keys = array {}
  for i, id in ipairs(ids) do keys[i] = key_of(id) end
  return keys
end

-- An error says how to go on: which tool knows the right key.
local WHAT = { Project = "project", Requirement = "requirement", Decision = "decision", TestCase = "test" }
local HELP = {
  Requirement = "search_requirements finds keys",
  Decision = "get_requirement names the decisions about a requirement",
  TestCase = "get_requirement names the tests of a requirement",
}

local function help(ctx, type)
  if type ~= "Project" then return HELP[type] end
  local codes = {}
  for i, project in ipairs(ctx.kg:where("Project")) do codes[i] = project.code end
  return "the projects are " .. table.concat(codes, ", ")
end

local function find(ctx, type, key)
  local node = ctx.kg:get(type, key)
  if node then return node end
  error { code = "not_found", message = ("there is no %s %s; %s"):format(WHAT[type], key, help(ctx, type)) }
end

local function find_all(ctx, type, keys)
  local found = array {}
  for i, key in ipairs(keys or {}) do found[i] = find(ctx, type, key) end
  return found
end

-- People are named by their address, or by enough of their name.
local function find_person(ctx, text)
  local found = text:find("@", 1, true) and ctx.kg:where("Person", { email = text })
    or ctx.kg:search(text, { type = "Person", limit = 5 })
  if #found == 1 then return found[1] end
  local names = array {}
  for i, person in ipairs(found) do names[i] = person.name .. " <" .. person.email .. ">" end
  local message = #found == 0 and "nobody is called " .. text .. "; find_person finds people"
    or "several people are called " .. text .. ": " .. table.concat(names, ", ")
  error { code = "not_found", message = message, data = { candidates = names } }
end

-- "DOCK-12 [accepted, p2] The bolt closes within 400 ms (Ines Duarte)"
local function line(ctx, r)
  local owner = r.owner and " (" .. ctx.kg:label(r.owner) .. ")" or ""
  return ("%s [%s, p%d] %s%s"):format(key_of(r.id), r.state, r.priority, r.title, owner)
end

local function lines(ctx, requirements)
  local out = array {}
  for i, r in ipairs(requirements) do out[i] = line(ctx, r) end
  return out
end

-- The next number of a project, without gaps: a call that fails has taken none.
-- The first is the one after the last of the seed.
local function take_number(ctx, project, counter, letter)
  local number = ctx.kg:next(project.code .. " " .. counter, project[counter] + 1)
  return number, project.code .. "-" .. letter .. number
end

local function lines_field()
  return text { many = true, optional = true, description = "One line each: key, state, priority, title, owner." }
end
local READ = { read_only = true }

capability "search_requirements" {
  title = "Search requirements",
  description = "Finds requirements by the words of their title, statement and rationale, the best match first. "
    .. "All words must occur; the last one may be the beginning of a word.",
  input = {
    { "text", text { min_length = 2, max_length = 200, description = "Words, such as 'bolt closing time'." } },
    { "state", text { one_of = STATES, optional = true, description = "Only requirements in this state." } },
    { "limit", integer { min_value = 1, max_value = 100, default = 20 } },
  },
  output = {
    requirements = lines_field(),
    more = boolean { description = "Whether there are others." },
    undone = text { optional = true, description = "Why there may be better ones, and what to do." },
  },
  annotations = READ,
  idempotent = true,
  run = function(ctx, args)
    local found, more, undone = ctx.kg:search(args.text,
      { type = "Requirement", filter = { state = args.state }, limit = args.limit })
    return { requirements = lines(ctx, found), more = more, undone = undone }
  end,
}

capability "list_requirements" {
  title = "List requirements",
  description = "Lists the requirements that have all the given properties, page by page.",
  input = {
    { "project", text { optional = true, description = "Its code: DOCK or HUB." } },
    { "state", text { one_of = STATES, optional = true } },
    { "kind", text { one_of = KINDS, optional = true } },
    { "priority", integer { min_value = 1, max_value = 5, optional = true } },
    { "owner", text { optional = true, description = "An address, or enough of a name." } },
    { "after", text { optional = true, description = "`next` of the page before." } },
    { "limit", integer { min_value = 1, max_value = 100, default = 25 } },
  },
  output = { requirements = lines_field(), next = text { optional = true, description = "Absent on the last page." } },
  annotations = READ,
  idempotent = true,
  run = function(ctx, args)
    local page, next = ctx.kg:where("Requirement", {
      project = args.project and find(ctx, "Project", args.project),
      state = args.state,
      kind = args.kind,
      priority = args.priority,
      owner = args.owner and find_person(ctx, args.owner),
    }, { limit = args.limit, after = args.after })
    return { requirements = lines(ctx, page), next = next }
  end,
}

-- A requirement, with what is around it.
local function describe(ctx, r)
  local about = {
    key = key_of(r.id), id = r.id, version = r._version, type = r._type,
    title = r.title, statement = r.statement, rationale = r.rationale,
    kind = r.kind, state = r.state, priority = r.priority,
    raised = r.raised, due = r.due, hazard = r.hazard, integrity = r.integrity,
    owner = r.owner and ctx.kg:label(r.owner),
    components = array {}, decisions = array {}, tests = array {},
    depends_on = keys_of(r.depends_on),
    needed_by = array {},
  }
  for i, id in ipairs(r.components) do about.components[i] = ctx.kg:label(id) end
  for i, d in ipairs(ctx.kg:traverse(r, "^about")) do
    about.decisions[i] = { key = key_of(d.id), title = d.title, outcome = d.outcome, made = d.made }
  end
  for i, t in ipairs(ctx.kg:traverse(r, "^verifies")) do
    about.tests[i] = { key = key_of(t.id), title = t.title, result = t.result }
  end
  for i, other in ipairs(ctx.kg:traverse(r, "^depends_on")) do about.needed_by[i] = key_of(other.id) end
  return about
end

capability "get_requirement" {
  title = "Get a requirement",
  description = "Everything about one requirement: its text, owner and components, the decisions about it, the tests "
    .. "that verify it, what it depends on and what needs it. `version` is for change_state.",
  input = { key = text { pattern = KEY, description = "Such as DOCK-12." } },
  annotations = READ,
  idempotent = true,
  run = function(ctx, args) return describe(ctx, find(ctx, "Requirement", args.key)) end,
}

capability "who_owns" {
  title = "Who owns what",
  description = "The open requirements of a person, the most urgent first, and the components that the person leads.",
  input = { person = text { min_length = 2, description = "An address, or enough of a name." } },
  output = {
    { "name", text }, { "email", text }, { "role", text },
    { "open", lines_field() },
    { "done", integer { description = "Requirements that are verified or rejected." } },
    { "components", text { many = true, optional = true } },
  },
  annotations = READ,
  idempotent = true,
  run = function(ctx, args)
    local person = find_person(ctx, args.person)
    local open = ctx.kg:where("Requirement", { owner = person, state = { one_of = OPEN } },
      { order = "priority", limit = 1000 })
    local done = ctx.kg:count("Requirement", { owner = person, state = { one_of = DONE } })
    local components = array {}
    for i, c in ipairs(ctx.kg:where("Component", { lead = person }, { fields = { "name" } })) do
      components[i] = c.name
    end
    return {
      name = person.name, email = person.email, role = person.role,
      open = lines(ctx, open), done = done, components = components,
    }
  end,
}

-- The keys of all that a filter finds.
local function keys_where(ctx, type, filter)
  local keys, after = array {}, nil
  repeat
    local page, next = ctx.kg:where(type, filter, { limit = 1000, after = after, fields = {} })
    for _, node in ipairs(page) do keys[#keys + 1] = key_of(node.id) end
    after = next
  until not after
  return keys
end

capability "coverage_report" {
  title = "Coverage report",
  description = "How far the tests of a project have come: how many of its live requirements are tested and pass, "
    .. "and which ones have no test, or one that fails.",
  input = { project = text { description = "Its code: DOCK or HUB." } },
  output = {
    { "requirements", integer { description = "All but the rejected ones." } },
    { "passed", integer },
    { "not_run", integer },
    { "failed", integer },
    { "untested", integer },
    { "percent_passed", number },
    { "failing_keys", text { many = true, optional = true } },
    { "untested_keys", text { many = true, optional = true } },
  },
  annotations = READ,
  idempotent = true,
  run = function(ctx, args)
    local project = find(ctx, "Project", args.project)
    -- The live ones of which something more holds; the worst of its tests counts.
    local function live(filter)
      filter.project, filter.state = project, { one_of = LIVE }
      return filter
    end
    local out = {
      requirements = ctx.kg:count("Requirement", live {}),
      failing_keys = keys_where(ctx, "Requirement", live { ["^verifies.result"] = "failed" }),
      untested_keys = keys_where(ctx, "Requirement", live { ["^verifies"] = { absent = true } }),
    }
    out.failed, out.untested = #out.failing_keys, #out.untested_keys
    local not_passed = ctx.kg:count("Requirement",
      live { ["^verifies.result"] = { one_of = { "failed", "not_run" } } })
    out.not_run = not_passed - out.failed
    out.passed = out.requirements - out.untested - not_passed
    out.percent_passed = out.requirements == 0 and 0 or math.floor(1000 * out.passed / out.requirements + 0.5) / 10
    return out
  end,
}

-- Changing things -------------------------------------------------------------

local WRITES = { graph_writes = { "default" } }
local ADDS = { destructive = false } -- it takes nothing away, so hosts need not ask

capability "propose_requirement" {
  title = "Propose a requirement",
  description = "Adds a requirement in the state `proposed` and gives it the next number. With a hazard it is a safety "
    .. "requirement, which also needs an integrity level and an owner. Search first: there may be one already.",
  input = {
    { "project", text { description = "Its code: DOCK or HUB." } },
    { "title", text { description = "What it is about, in 8 to 120 characters." } },
    { "statement", text { description = "One sentence with 'shall' that a test can decide." } },
    { "rationale", text { optional = true, description = "Why it is needed." } },
    { "kind", text { one_of = KINDS } },
    { "priority", integer { default = 3, description = "From 1, the most urgent, to 5." } },
    { "owner", text { optional = true, description = "An address, or enough of a name." } },
    { "components", text { many = true, optional = true, description = "Names of components of the project." } },
    { "due", datetime { optional = true } },
    { "hazard", text { optional = true, description = "What could happen to somebody." } },
    { "integrity", integer { optional = true, description = "From 1 to 4." } },
  },
  output = { key = text, id = ref "Requirement", version = integer },
  side_effects = WRITES,
  annotations = ADDS,
  run = function(ctx, args)
    local project = find(ctx, "Project", args.project)
    local number, key = take_number(ctx, project, "last_requirement", "")
    local components = array {}
    for i, name in ipairs(args.components or {}) do
      components[i] = ctx.kg:where("Component", { project = project, name = name })[1]
        or error { code = "not_found", message = project.name .. " has no component " .. name .. "; find_component finds them" }
    end
    local made = ctx.kg:create(args.hazard and "SafetyRequirement" or "Requirement", {
      project = project, number = number, title = args.title, statement = args.statement,
      rationale = args.rationale, kind = args.kind, priority = args.priority, due = args.due,
      hazard = args.hazard, integrity = args.integrity, components = components,
      owner = args.owner and find_person(ctx, args.owner),
      state = "proposed", raised = ctx:now_text(),
    }, { id = "trails://requirements/Requirement/" .. key })
    return { key = key, id = made.id, version = made._version }
  end,
}

local NEXT = {
  proposed = { "accepted", "rejected" },
  accepted = { "implemented", "rejected" },
  implemented = { "verified", "accepted" },
  verified = { "implemented" },
  rejected = { "proposed" },
}

local function contains(list, wanted)
  for _, value in ipairs(list) do
    if value == wanted then return true end
  end
  return false
end

-- Why a requirement cannot come into a state yet; nil when it can.
local obstacles = {}

function obstacles.accepted(ctx, r)
  if not r.owner then return "nobody owns it: assign_owner first" end
end

function obstacles.implemented(ctx, r)
  for _, other in ipairs(ctx.kg:traverse(r, "depends_on")) do
    if other.state ~= "implemented" and other.state ~= "verified" then
      return ("it depends on %s, which is %s"):format(key_of(other.id), other.state)
    end
  end
end

function obstacles.verified(ctx, r)
  local tests = ctx.kg:traverse(r, "^verifies")
  if #tests == 0 then return "no test verifies it" end
  for _, test in ipairs(tests) do
    if test.result ~= "passed" then
      return ("its test %s has the result %s"):format(key_of(test.id), test.result)
    end
  end
end

function obstacles.rejected(ctx, r)
  if #ctx.kg:traverse(r, "^about") == 0 then return "no decision says why: decide first" end
end

capability "change_state" {
  title = "Change the state of a requirement",
  description = "Moves a requirement along: proposed -> accepted -> implemented -> verified, or to rejected. To be "
    .. "accepted it needs an owner; to be implemented, what it depends on must be; to be verified, all its tests must "
    .. "have passed, and there must be one; to be rejected, a decision must say why. An error says what is missing.",
  input = {
    { "key", text { pattern = KEY, description = "Such as DOCK-12." } },
    { "state", text { one_of = STATES } },
    { "if_version", integer { optional = true, description = "Fail with `conflict` when it has changed since." } },
  },
  output = { key = text, state = text, version = integer },
  side_effects = WRITES,
  run = function(ctx, args)
    local r = find(ctx, "Requirement", args.key)
    if args.if_version and args.if_version ~= r._version then
      local message = ("%s is at version %d, not %d: read it again with get_requirement"):format(
        args.key, r._version, args.if_version)
      error { code = "conflict", message = message, data = { reason = "conflict" } }
    end
    if not contains(NEXT[r.state], args.state) then
      return ctx:error(("%s is %s; from there it can become %s"):format(
        args.key, r.state, table.concat(NEXT[r.state], " or ")))
    end
    local why = obstacles[args.state] and obstacles[args.state](ctx, r)
    if why then return ctx:error(("%s cannot be %s: %s"):format(args.key, args.state, why)) end
    local now = ctx.kg:update(r, { state = args.state }, { if_version = args.if_version })
    return { key = args.key, state = now.state, version = now._version }
  end,
}

capability "assign_owner" {
  title = "Assign an owner",
  description = "Makes somebody the owner of a requirement.",
  input = { key = text { pattern = KEY, description = "Such as DOCK-12." }, owner = text { description = "An address, or enough of a name." } },
  output = { key = text, owner = text, version = integer },
  side_effects = WRITES,
  idempotent = true,
  run = function(ctx, args)
    local owner = find_person(ctx, args.owner)
    local now = ctx.kg:update(find(ctx, "Requirement", args.key), { owner = owner })
    return { key = args.key, owner = owner.name, version = now._version }
  end,
}

capability "link_requirements" {
  title = "Link requirements",
  description = "Says that one requirement depends on another, or no longer does. A circle is refused.",
  input = {
    { "key", text { pattern = KEY, description = "Such as DOCK-12." } },
    { "depends_on", text { pattern = KEY, description = "The key of what it depends on." } },
    { "remove", boolean { default = false, description = "Takes the link away instead." } },
  },
  output = { key = text, depends_on = text { many = true, optional = true } },
  side_effects = WRITES,
  idempotent = true,
  run = function(ctx, args)
    local r = find(ctx, "Requirement", args.key)
    local other = find(ctx, "Requirement", args.depends_on)
    local links = array {}
    for _, id in ipairs(r.depends_on) do
      if id ~= other.id then links[#links + 1] = id end
    end
    if not args.remove then
      local behind = ctx.kg:traverse(other, { { path = "depends_on", min = 0, max = 16 } }, { limit = 1000 })
      for _, node in ipairs(behind) do
        if node.id == r.id then
          return ctx:error(args.depends_on .. " depends on " .. args.key .. " already, itself or through others")
        end
      end
      links[#links + 1] = other.id
    end
    local now = ctx.kg:update(r, { depends_on = links })
    return { key = args.key, depends_on = keys_of(now.depends_on) }
  end,
}

capability "decide" {
  title = "Record a decision",
  description = "Records what was decided about requirements, by whom and why. A decision may supersede an earlier one.",
  input = {
    { "project", text { description = "Its code: DOCK or HUB." } },
    { "title", text { description = "The decision in 8 to 120 characters." } },
    { "context", text { description = "What made it necessary, and what else was considered." } },
    { "outcome", text { description = "What was decided." } },
    { "about", text { many = true, pattern = KEY, description = "Keys of requirements." } },
    { "made_by", text { many = true, description = "Addresses, or enough of names." } },
    { "supersedes", text { pattern = DECISION_KEY, optional = true, description = "The key of a decision, such as DOCK-D3." } },
  },
  output = { key = text, id = ref "Decision" },
  side_effects = WRITES,
  annotations = ADDS,
  run = function(ctx, args)
    local project = find(ctx, "Project", args.project)
    local number, key = take_number(ctx, project, "last_decision", "D")
    local people = array {}
    for i, person in ipairs(args.made_by) do people[i] = find_person(ctx, person) end
    local made = ctx.kg:create("Decision", {
      project = project, number = number, title = args.title, context = args.context,
      outcome = args.outcome, about = find_all(ctx, "Requirement", args.about), made_by = people,
      made = ctx:now_text(), supersedes = args.supersedes and find(ctx, "Decision", args.supersedes),
    }, { id = "trails://requirements/Decision/" .. key })
    return { key = key, id = made.id }
  end,
}

capability "add_test" {
  title = "Add a test",
  description = "Describes a test that verifies requirements. It has not run yet.",
  input = {
    { "project", text { description = "Its code: DOCK or HUB." } },
    { "title", text { description = "What is done, and what must be seen." } },
    { "verifies", text { many = true, pattern = KEY, description = "Keys of requirements." } },
  },
  output = { key = text, id = ref "TestCase" },
  side_effects = WRITES,
  annotations = ADDS,
  run = function(ctx, args)
    local project = find(ctx, "Project", args.project)
    local number, key = take_number(ctx, project, "last_test", "T")
    local made = ctx.kg:create("TestCase", {
      project = project, number = number, title = args.title, result = "not_run",
      verifies = find_all(ctx, "Requirement", args.verifies),
    }, { id = "trails://requirements/TestCase/" .. key })
    return { key = key, id = made.id }
  end,
}

capability "record_test" {
  title = "Record a test result",
  description = "Records how a test ended. A verified requirement whose test fails goes back to `implemented`.",
  input = {
    { "key", text { pattern = TEST_KEY, description = "The key of a test, such as DOCK-T12." } },
    { "result", text { one_of = { "passed", "failed" } } },
    { "note", text { optional = true, max_length = 1000, description = "What was seen." } },
  },
  output = { key = text, result = text, reopened = text { many = true, optional = true } },
  side_effects = WRITES,
  run = function(ctx, args)
    local test = find(ctx, "TestCase", args.key)
    local reopened = array {}
    ctx.kg:update(test, { result = args.result, note = args.note, ran = ctx:now_text() })
    for _, r in ipairs(args.result == "failed" and ctx.kg:traverse(test, "verifies") or {}) do
      if r.state == "verified" then
        ctx.kg:update(r, { state = "implemented" })
        reopened[#reopened + 1] = key_of(r.id)
      end
    end
    return { key = args.key, result = args.result, reopened = reopened }
  end,
}

-- Things to read --------------------------------------------------------------

resource "requirements://projects" {
  name = "projects",
  title = "Projects",
  description = "The projects, and how many requirements of each are in which state.",
  mime_type = "application/json",
  run = function(ctx)
    local out = array {}
    for i, project in ipairs(ctx.kg:where("Project")) do
      out[i] = { code = project.code, name = project.name, purpose = project.purpose, states = {} }
      for _, state in ipairs(STATES) do out[i].states[state] = 0 end
      for _, group in ipairs(ctx.kg:aggregate("Requirement", { project = project }, { group = "state" })) do
        out[i].states[group.group] = group.count
      end
    end
    return json.encode(out)
  end,
}

local function page_of(ctx, r)
  local about = describe(ctx, r)
  local out = {
    "# " .. about.key .. ": " .. about.title,
    "", about.statement, "",
    ("State: %s. Priority: %d. Owner: %s."):format(about.state, about.priority, about.owner or "nobody"),
  }
  local function section(title, list, write)
    if #list == 0 then return end
    out[#out + 1] = "\n## " .. title .. "\n"
    for _, item in ipairs(list) do out[#out + 1] = "- " .. write(item) end
  end
  local function same(item) return item end
  if about.rationale then out[#out + 1] = "\nWhy: " .. about.rationale end
  if about.hazard then
    out[#out + 1] = ("\nHazard: %s (integrity level %d)"):format(about.hazard, about.integrity)
  end
  section("Components", about.components, same)
  section("Depends on", about.depends_on, same)
  section("Needed by", about.needed_by, same)
  section("Decisions", about.decisions, function(d) return d.key .. ": " .. d.title .. ". " .. d.outcome end)
  section("Tests", about.tests, function(t) return t.key .. " (" .. t.result .. "): " .. t.title end)
  return table.concat(out, "\n") .. "\n"
end

resource_template "requirements://requirement/{key}" {
  name = "requirement",
  title = "A requirement",
  description = "One requirement with its decisions and tests, as a page to read.",
  mime_type = "text/markdown",
  run = function(ctx, args)
    local r = ctx.kg:get("Requirement", args.key)
    return r and page_of(ctx, r)
  end,
}

prompt "review_requirement" {
  title = "Review a requirement",
  description = "Asks for a review of one requirement: is it clear, testable and consistent with the others?",
  arguments = { key = text { description = "Such as DOCK-12." } },
  run = function(ctx, args)
    local r = find(ctx, "Requirement", args.key)
    return "Review this requirement. Say whether one test could decide it, which words are vague, what is "
      .. "missing, and whether it contradicts one of its decisions or another requirement (use "
      .. "search_requirements). End with a better wording, or say that it is good.\n\n" .. page_of(ctx, r)
  end,
}

local function complete_key(ctx, args)
  local values, start = array {}, args.value:upper()
  local page, next = ctx.kg:list("Requirement", { limit = 1000 })
  for _, r in ipairs(page) do
    local key = key_of(r.id)
    if key:sub(1, #start) == start and #values < 100 then values[#values + 1] = key end
  end
  return { values = values, has_more = next ~= nil or #values == 100 }
end

completion { prompt = "review_requirement", argument = "key", run = complete_key }
completion { template = "requirements://requirement/{key}", argument = "key", run = complete_key }
