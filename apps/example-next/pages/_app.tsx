import type { AppProps } from "next/app"
import "../app/style.css"

export default function App({ Component, pageProps }: AppProps) {
  return <Component {...pageProps} />
}
