import { QwikAuth$ } from "@latchkey/qwik"
import { authConfig } from "../auth"

export const { onRequest, useSession, useSignIn, useSignOut } = QwikAuth$(() => authConfig)
