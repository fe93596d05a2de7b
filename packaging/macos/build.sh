#!/bin/sh
# Freezes Tonnage into Tonnage.app and packs it into a disk image; one build for each kind of processor.
#
#   packaging/macos/build.sh
#
# Signs where SIGN_IDENTITY names a Developer ID, and has Apple notarise where NOTARY_PROFILE names a keychain profile
# (xcrun notarytool store-credentials). Without them the image is unsigned: macOS then asks the user to allow the
# program once, in Settings, Privacy and Security.
set -eu
cd "$(dirname "$0")/../.."

python3 dev.py package
version=$(.venv/bin/python -c "import core; print(core.__version__)")
app=dist/Tonnage.app
image=dist/tonnage-$version-macos-$(uname -m).dmg

if [ -n "${SIGN_IDENTITY:-}" ]; then
    # Inside out: every library first, the program last.
    find "$app/Contents" -type f \( -name '*.dylib' -o -name '*.so' \) -print0 |
        xargs -0 -n 20 codesign --force --timestamp --options runtime --sign "$SIGN_IDENTITY"
    codesign --force --timestamp --options runtime --entitlements packaging/macos/entitlements.plist \
        --sign "$SIGN_IDENTITY" "$app"
    codesign --verify --strict --verbose=2 "$app"
else
    echo "no SIGN_IDENTITY: the program stays without a signature of ours" >&2
    codesign --force --deep --sign - "$app" # an ad-hoc one, without which Apple's own processors start nothing
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp -R "$app" "$folder/"
ln -s /Applications "$folder/Applications"
rm -f "$image"
hdiutil create -volname "Tonnage $version" -srcfolder "$folder" -format UDZO -ov "$image"

if [ -n "${SIGN_IDENTITY:-}" ] && [ -n "${NOTARY_PROFILE:-}" ]; then
    codesign --timestamp --sign "$SIGN_IDENTITY" "$image"
    xcrun notarytool submit "$image" --keychain-profile "$NOTARY_PROFILE" --wait
    xcrun stapler staple "$image"
else
    echo "not notarised: SIGN_IDENTITY and NOTARY_PROFILE are both needed for that" >&2
fi
"$app/Contents/MacOS/tonnage" --selftest
echo "$image"
