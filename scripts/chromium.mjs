// Sees to it that there is a Chromium for the browser tests: one that is there, or Debian's package.
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"

const places = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]

if (!places.some((path) => path && existsSync(path))) {
  console.log("Installing chromium from Debian's packages")
  for (const args of [["update", "-qq"], ["install", "-y", "-qq", "--no-install-recommends", "chromium"]]) {
    const { error, status } = spawnSync("apt-get", args, {
      stdio: ["ignore", "ignore", "inherit"],
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" }
    })
    if (status !== 0) {
      console.error(
        `There is no Chromium, and apt-get could not install it${error ? ` (${error.message})` : ""}. ` +
          "Install one, and set CHROMIUM to its path."
      )
      process.exit(1)
    }
  }
}
