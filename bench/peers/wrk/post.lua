local id = 0

request = function()
  id = id + 1
  return wrk.format("POST", "/plants", {
    ["authorization"] = "Bearer " .. os.getenv("PLANT_STORE_TOKEN"),
    ["content-type"] = "application/json",
  }, string.format('{"id":%d,"name":"Sweet fern","tag":"shrub"}', id))
end
