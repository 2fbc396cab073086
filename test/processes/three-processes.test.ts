import { sqliteFile } from "./stores.js"
import { testThreeProcesses } from "./three-processes.suite.js"

testThreeProcesses(sqliteFile)
