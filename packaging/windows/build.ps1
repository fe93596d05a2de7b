# Freezes Tonnage and packs it into one setup file. Needs Python 3.11 or newer and NSIS 3 (makensis on the path).
#   packaging\windows\build.ps1
#   packaging\windows\build.ps1 -Sign "signtool sign /fd sha256 /tr http://timestamp.example /td sha256 /a"
param([string]$Sign = "")
$ErrorActionPreference = "Stop"
$root = Resolve-Path "$PSScriptRoot\..\.."
Set-Location $root

py dev.py package
if ($LASTEXITCODE) { exit $LASTEXITCODE }
if ($Sign) {
    Invoke-Expression "$Sign dist\tonnage\tonnage.exe"
    if ($LASTEXITCODE) { exit $LASTEXITCODE }
}
$env:PYTHONPATH = "$root\packaging;$root"
$extra = if ($Sign) { @("--sign", $Sign) } else { @() }
.venv\Scripts\python -m release.windows_setup @extra
exit $LASTEXITCODE
