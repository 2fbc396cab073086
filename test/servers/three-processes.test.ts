import { onMariadb, onPostgres, onRedis } from "../processes/stores.js"
import { testThreeProcesses } from "../processes/three-processes.suite.js"

testThreeProcesses(onPostgres, onMariadb, onRedis)
