import { usualApps } from "./former-apps.js"
import { testSignedIn } from "./signed-in.suite.js"

testSignedIn(usualApps)
