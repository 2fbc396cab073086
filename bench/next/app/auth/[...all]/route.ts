export { GET, POST } from "@library"
