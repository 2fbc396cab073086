import { NativeSignInError, type Session } from "@latchkey/client/native"
import { useCallback, useEffect, useState } from "react"
import { AppState, Pressable, StyleSheet, Text, View } from "react-native"
import { client, signIn } from "./auth"
import { type Device, readDevices } from "./devices"

export default function App() {
  // Undefined until the first answer.
  const [session, setSession] = useState<Session | null>()
  const [devices, setDevices] = useState<readonly Device[]>([])
  const [message, setMessage] = useState("")

  const show = useCallback(async (read: () => Promise<Session | null>) => {
    try {
      const next = await read()
      setSession(next)
      setDevices(next ? await readDevices() : [])
      setMessage("")
    } catch (error) {
      setMessage(explain(error))
    }
  }, [])

  // Renews the token when the app starts, and when it comes back.
  useEffect(() => {
    show(client.getSession)
    const watching = AppState.addEventListener("change", (state) => {
      if (state === "active") show(client.getSession)
    })
    return () => watching.remove()
  }, [show])

  async function signOut(): Promise<null> {
    await client.signOut()
    return null
  }

  return (
    <View style={styles.screen}>
      <Text accessibilityRole="header" style={styles.heading}>
        Latchkey example
      </Text>
      <Text>{describe(session)}</Text>
      {devices.map((device) => (
        <Text key={device.id}>{nameOf(device)}</Text>
      ))}
      {session === null && <Button title="Sign in" onPress={() => show(signIn)} />}
      {session && <Button title="Sign out" onPress={() => show(signOut)} />}
      {message !== "" && <Text accessibilityRole="alert">{message}</Text>}
    </View>
  )
}

function Button({ title, onPress }: { readonly title: string; readonly onPress: () => void }) {
  return (
    <Pressable accessibilityRole="button" onPress={onPress} style={styles.button}>
      <Text style={styles.buttonText}>{title}</Text>
    </Pressable>
  )
}

function describe(session: Session | null | undefined): string {
  if (session === undefined) return "One moment"
  if (session === null) return "Not signed in"
  return `Signed in as ${session.user?.name ?? session.user?.email}`
}

function nameOf({ label, device, isCurrent }: Device): string {
  const name = label ?? device ?? "Unknown device"
  return isCurrent ? `${name}, this app` : name
}

/** Users who closed the browser, or declined, know why they are not signed in. */
function explain(error: unknown): string {
  const code = error instanceof NativeSignInError ? error.code : undefined
  if (code === "closed" || code === "denied") return ""
  return code === "unavailable" ? "The server cannot be reached. Try again." : "The sign-in failed. Try again."
}

const styles = StyleSheet.create({
  screen: { flex: 1, justifyContent: "center", gap: 16, padding: 24, backgroundColor: "white" },
  heading: { fontSize: 24, fontWeight: "bold" },
  button: { alignItems: "center", padding: 12, borderRadius: 8, backgroundColor: "#1d4ed8" },
  buttonText: { color: "white", fontWeight: "bold" },
})
