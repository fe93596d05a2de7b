#!/bin/sh
# Puts Tonnage into this user's menu and opens .tonnage files with it; `integrate.sh --remove` takes both away.
# Nothing outside the home folder is touched. The program itself stays where this folder lies.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
data=${XDG_DATA_HOME:-$HOME/.local/share}

refresh() {
    command -v update-desktop-database >/dev/null && update-desktop-database "$data/applications" || true
    command -v update-mime-database >/dev/null && update-mime-database "$data/mime" || true
}

(cd "$here/share" && find . -type f) | while read -r file; do
    case "${1:-}" in
    --remove) rm -f "$data/$file" ;;
    *)
        mkdir -p "$(dirname "$data/$file")"
        sed_from="Exec=tonnage "
        case "$file" in
        *.desktop) sed "s|^$sed_from|Exec=\"$here/tonnage\" |" "$here/share/$file" >"$data/$file" ;;
        *) cp "$here/share/$file" "$data/$file" ;;
        esac
        ;;
    esac
done
refresh
