import { otherApps } from "./former-apps.js"
import { testSignedIn } from "./signed-in.suite.js"

testSignedIn(otherApps)
