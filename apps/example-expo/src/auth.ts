import { createNativeClient, type Session } from "@latchkey/client/native"
import * as Crypto from "expo-crypto"
import * as SecureStore from "expo-secure-store"
import * as WebBrowser from "expo-web-browser"

/** The token is in the keychain of the phone, under this name. */
const tokenKey = "session"

export const client = createNativeClient({
  issuer: process.env.EXPO_PUBLIC_ISSUER ?? "http://localhost:3000/auth",
  clientId: "demo-phone",
  crypto: Crypto,
  storage: {
    get: () => SecureStore.getItemAsync(tokenKey),
    set: (token) => SecureStore.setItemAsync(tokenKey, token),
    remove: () => SecureStore.deleteItemAsync(tokenKey),
  },
})

/** The `scheme` of app.json, which the server knows as an address of this app. */
const redirectUri = "com.example.latchkey:/callback"

/** Signs in by the system's browser, where the user may be signed in already. */
export function signIn(): Promise<Session | null> {
  return client.signIn({
    redirectUri,
    async open(url) {
      const result = await WebBrowser.openAuthSessionAsync(url, redirectUri)
      return result.type === "success" ? result.url : null
    },
  })
}
