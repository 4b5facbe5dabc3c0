#!/bin/sh
# Installs what is needed and runs the main job; leaves the page sturdy-demo.html and the
# picture sturdy-demo.png here.
exec sh "$(dirname -- "$0")/run.sh" demo.R "$@"
