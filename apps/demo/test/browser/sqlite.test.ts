import { describe } from "vitest"
import { hasChromium } from "../chromium.js"
import { openStage } from "../stage.js"
import { testJourneys } from "./journeys.suite.js"

describe.skipIf(!hasChromium)("the demo over SQLite", () => testJourneys((browser) => openStage({ browser })))
