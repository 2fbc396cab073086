import { index, type RouteConfig, route } from "@react-router/dev/routes"

export default [
  index("routes/home.tsx"),
  route("login", "routes/login.tsx"),
  route("logout", "routes/logout.ts"),
  route("private", "routes/private.tsx"),
  route("about", "routes/about.tsx"),
  route("api/auth/*", "routes/auth.ts"),
] satisfies RouteConfig
