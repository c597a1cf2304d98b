-- How Argo CD knows whether a StorageBenchmark is healthy: docs/gitops.md says where this goes.
local health = { status = "Progressing", message = "The operator has not seen the benchmark yet." }
if obj.status == nil or obj.status.conditions == nil then
  return health
end

local conditions = {}
for _, condition in ipairs(obj.status.conditions) do
  conditions[condition.type] = condition
end

local succeeded = conditions["Succeeded"]
if succeeded == nil then
  return health
end
health.message = succeeded.message
-- The status may be of an earlier spec, whose end says nothing of this one.
if obj.status.observedGeneration ~= obj.metadata.generation then
  return health
end
if succeeded.status == "True" then
  health.status = "Healthy"
elseif succeeded.status == "False" then
  health.status = "Degraded"
elseif succeeded.reason == "Suspended" then
  health.status = "Suspended"
end
return health
