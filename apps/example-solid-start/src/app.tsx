import { Router } from "@solidjs/router"
import { FileRoutes } from "@solidjs/start/router"
import { Suspense } from "solid-js"
import "./global.css"

export default function App() {
  return (
    <Router root={(page) => <Suspense>{page.children}</Suspense>}>
      <FileRoutes />
    </Router>
  )
}
