/// <reference path="../types/virtual.d.ts" />
import source from "#latchkey/auth-config"
import { mountPath } from "#latchkey/mount-path"
import { createNuxtAuth, type NuxtAuth } from "./handler.js"

/** The authentication of the app's configuration. */
export const auth: NuxtAuth = createNuxtAuth(source, { mountPath })
