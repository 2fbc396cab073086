import { isHttp } from "../web/is-http.js"
import type { Environment } from "./environment.js"

/**
 * What `AUTH_URL`, else `NEXTAUTH_URL`, says of the app's public address. Null when neither is set, or when it is no
 * http(s) URL: then it says nothing at all.
 */
export function findConfiguredUrl(env: Environment): URL | null {
  const url = URL.parse(configuredText(env))
  return isHttp(url) ? url : null
}

/** Whether an address is configured that says nothing, such as one without its scheme. */
export function isConfiguredUrlBroken(env: Environment): boolean {
  return configuredText(env) !== "" && findConfiguredUrl(env) === null
}

function configuredText(env: Environment): string {
  return env["AUTH_URL"] || env["NEXTAUTH_URL"] || ""
}

/** Each of these says that the host header can be believed. */
const trustVariables = ["AUTH_TRUST_HOST", "VERCEL", "CF_PAGES"] as const

/** Whether the environment says that the request's host is to be believed. Outside production it always is. */
export function trustsHost(env: Environment): boolean {
  return (
    findConfiguredUrl(env) !== null ||
    trustVariables.some((name) => isOn(env[name])) ||
    env["NODE_ENV"] !== "production"
  )
}

/** Set, and not to a word that says no. */
function isOn(value: string | undefined): boolean {
  return value !== undefined && !/^(|0|false|no|off)$/i.test(value.trim())
}
