-- What bench/object.c measures: nodes with objects and lists that are written.
node_type "Step" { fields = {
  { "name", text },
  { "then", text { list = true, optional = true } },
} }

node_type "Flat" { fields = {
  { "a", text }, { "b", text }, { "c", integer },
  { "street", text }, { "city", text }, { "zip", text }, { "floor", integer },
} }

node_type "Nested" { fields = {
  { "a", text }, { "b", text }, { "c", integer },
  { "address", object "Address" { fields = {
    { "street", text }, { "city", text }, { "zip", text }, { "floor", integer },
  } } },
} }

local writes = { graph_writes = { "default" } }
local twenty = {}
for i = 1, 20 do twenty[i] = "step " .. i end

local function writer(id, run)
  capability(id) { description = "Writes.", side_effects = writes, run = run }
end

writer("create_flat", function(ctx)
  return ctx.kg:create("Flat", { a = "one", b = "two", c = 3, street = "Main",
    city = "Ulm", zip = "89073", floor = 4 }).id
end)

writer("create_nested", function(ctx)
  return ctx.kg:create("Nested", { a = "one", b = "two", c = 3,
    address = { street = "Main", city = "Ulm", zip = "89073", floor = 4 } }).id
end)

writer("create_list", function(ctx)
  return ctx.kg:create("Step", { name = "first", ["then"] = twenty }).id
end)

-- The first becomes the last: all cells have another item.
writer("update_list", function(ctx)
  local list = ctx.kg:get("Step", "7")["then"]
  if #list == 0 then list = { table.unpack(twenty) } end
  table.insert(list, table.remove(list, 1))
  ctx.kg:update("trails://bench/Step/7", { ["then"] = list })
  return #list
end)
