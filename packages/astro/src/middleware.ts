/// <reference path="../types/virtual.d.ts" />
// Imported as `@latchkey/astro/middleware`, by the integration.
import source from "latchkey:auth-config"
import { mountPath } from "latchkey:mount-path"
import type { AstroMiddleware } from "./config.js"
import { AstroAuth } from "./handler.js"

/** The middleware of the app's configuration. */
export const onRequest: AstroMiddleware = AstroAuth(source, { mountPath })
