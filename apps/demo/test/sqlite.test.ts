import { describe } from "vitest"
import { hasChromium } from "./chromium.js"
import { testJourneys } from "./journeys.suite.js"
import { openStage } from "./stage.js"

describe.skipIf(!hasChromium)("the demo over SQLite", () => testJourneys(openStage))
