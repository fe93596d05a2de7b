; Installer for Windows: for one user, without an administrator. Compiled with
;   makensis -DVERSION=1.2.3 -DNUMBERS=1.2.3.0 -DSOURCE=dist\tonnage -DICONS=build\app\icons -DOUTPUT=setup.exe tonnage.nsi
; Optional: -DSIGN="signtool sign /fd sha256 /a" signs installer and uninstaller.
; The user's scenarios lie in %LOCALAPPDATA%\tonnage, which neither upgrade nor uninstall touches.

Unicode true
SetCompressor /SOLID lzma
RequestExecutionLevel user
ManifestDPIAware true

!include MUI2.nsh
!include FileFunc.nsh

!define NAME "Tonnage"
!define UNINSTALL "Software\Microsoft\Windows\CurrentVersion\Uninstall\${NAME}"
!define CLASS "Tonnage.Scenario"

Name "${NAME} ${VERSION}"
OutFile "${OUTPUT}"
InstallDir "$LOCALAPPDATA\Programs\${NAME}"
InstallDirRegKey HKCU "Software\${NAME}" "Folder"
BrandingText "${NAME} ${VERSION}"

VIProductVersion "${NUMBERS}"
VIAddVersionKey "ProductName" "${NAME}"
VIAddVersionKey "ProductVersion" "${VERSION}"
VIAddVersionKey "FileVersion" "${VERSION}"
VIAddVersionKey "FileDescription" "${NAME} setup"
VIAddVersionKey "LegalCopyright" "Apache-2.0, the authors of Tonnage"

!ifdef SIGN
  !finalize '${SIGN} "%1"'
  !uninstfinalize '${SIGN} "%1"'
!endif

!define MUI_ICON "${ICONS}/tonnage.ico"
!define MUI_UNICON "${ICONS}/tonnage.ico"
!define MUI_ABORTWARNING
!define MUI_FINISHPAGE_RUN "$INSTDIR\tonnage.exe"
!define MUI_LANGDLL_REGISTRY_ROOT HKCU
!define MUI_LANGDLL_REGISTRY_KEY "Software\${NAME}"
!define MUI_LANGDLL_REGISTRY_VALUENAME "SetupLanguage"
!insertmacro MUI_PAGE_LICENSE "${LICENCE}"
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_PAGE_FINISH
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "English"
!insertmacro MUI_LANGUAGE "French"
!insertmacro MUI_LANGUAGE "German"
!insertmacro MUI_RESERVEFILE_LANGDLL

LangString RUNNING ${LANG_ENGLISH} "Tonnage is open. Close it, then try again."
LangString RUNNING ${LANG_FRENCH} "Tonnage est ouvert. Fermez-le, puis réessayez."
LangString RUNNING ${LANG_GERMAN} "Tonnage ist geöffnet. Bitte schließen und erneut versuchen."
LangString SCENARIO ${LANG_ENGLISH} "Tonnage scenario"
LangString SCENARIO ${LANG_FRENCH} "Scénario Tonnage"
LangString SCENARIO ${LANG_GERMAN} "Tonnage-Szenario"
LangString OTHER ${LANG_ENGLISH} "This folder holds other files. Choose an empty folder, or one with Tonnage in it."
LangString OTHER ${LANG_FRENCH} "Ce dossier contient d’autres fichiers. Choisissez un dossier vide ou celui de Tonnage."
LangString OTHER ${LANG_GERMAN} "Dieser Ordner enthält andere Dateien. Bitte einen leeren Ordner oder den von Tonnage wählen."

Function .onInit
  !insertmacro MUI_LANGDLL_DISPLAY
FunctionEnd

Function un.onInit
  !insertmacro MUI_UNGETLANGUAGE
FunctionEnd

; A program that runs holds its own file open; nothing is replaced under it.
!macro WaitUntilClosed
  again:
  IfFileExists "$INSTDIR\tonnage.exe" 0 closed
  ClearErrors
  FileOpen $0 "$INSTDIR\tonnage.exe" a
  IfErrors 0 free
    MessageBox MB_RETRYCANCEL|MB_ICONEXCLAMATION "$(RUNNING)" /SD IDCANCEL IDRETRY again
    Abort
  free:
  FileClose $0
  closed:
!macroend

; Takes away what an earlier version put there, so that no old library stays; nothing else lies in this folder.
!macro RemoveProgram
  IfFileExists "$INSTDIR\tonnage.exe" 0 none
    RMDir /r "$INSTDIR\_internal"
    Delete "$INSTDIR\tonnage.exe"
    Delete "$INSTDIR\scenario.ico"
  none:
!macroend

Section "${NAME}"
  !insertmacro WaitUntilClosed
  ${DirState} "$INSTDIR" $1
  StrCmp $1 "1" 0 empty
    IfFileExists "$INSTDIR\tonnage.exe" empty
      MessageBox MB_OK|MB_ICONSTOP "$(OTHER)" /SD IDOK
      Abort
  empty:
  !insertmacro RemoveProgram
  SetOutPath "$INSTDIR"
  File /r "${SOURCE}/*"
  File "${ICONS}/scenario.ico"
  WriteUninstaller "$INSTDIR\uninstall.exe"

  CreateShortcut "$SMPROGRAMS\${NAME}.lnk" "$INSTDIR\tonnage.exe"

  WriteRegStr HKCU "Software\Classes\.tonnage" "" "${CLASS}"
  WriteRegStr HKCU "Software\Classes\.tonnage" "Content Type" "application/x-tonnage"
  WriteRegStr HKCU "Software\Classes\.tonnage\OpenWithProgids" "${CLASS}" ""
  WriteRegStr HKCU "Software\Classes\${CLASS}" "" "$(SCENARIO)"
  WriteRegStr HKCU "Software\Classes\${CLASS}\DefaultIcon" "" "$INSTDIR\scenario.ico"
  WriteRegStr HKCU "Software\Classes\${CLASS}\shell\open\command" "" '"$INSTDIR\tonnage.exe" "%1"'

  WriteRegStr HKCU "Software\${NAME}" "Folder" "$INSTDIR"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayName" "${NAME}"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayIcon" "$INSTDIR\tonnage.exe"
  WriteRegStr HKCU "${UNINSTALL}" "Publisher" "The authors of Tonnage"
  WriteRegStr HKCU "${UNINSTALL}" "InstallLocation" "$INSTDIR"
  WriteRegStr HKCU "${UNINSTALL}" "UninstallString" '"$INSTDIR\uninstall.exe"'
  WriteRegStr HKCU "${UNINSTALL}" "QuietUninstallString" '"$INSTDIR\uninstall.exe" /S'
  WriteRegDWORD HKCU "${UNINSTALL}" "NoModify" 1
  WriteRegDWORD HKCU "${UNINSTALL}" "NoRepair" 1
  ${GetSize} "$INSTDIR" "/S=0K" $0 $1 $2
  IntFmt $0 "0x%08X" $0
  WriteRegDWORD HKCU "${UNINSTALL}" "EstimatedSize" "$0"
  System::Call 'shell32::SHChangeNotify(i 0x08000000, i 0, p 0, p 0)' ; the shell learns of the kind of file
SectionEnd

Section "Uninstall"
  !insertmacro WaitUntilClosed
  !insertmacro RemoveProgram
  Delete "$INSTDIR\uninstall.exe"
  RMDir "$INSTDIR"
  Delete "$SMPROGRAMS\${NAME}.lnk"
  DeleteRegKey HKCU "Software\Classes\${CLASS}"
  DeleteRegValue HKCU "Software\Classes\.tonnage\OpenWithProgids" "${CLASS}"
  ReadRegStr $0 HKCU "Software\Classes\.tonnage" ""
  StrCmp $0 "${CLASS}" 0 others
    DeleteRegKey HKCU "Software\Classes\.tonnage"
  others:
  DeleteRegKey HKCU "${UNINSTALL}"
  DeleteRegKey HKCU "Software\${NAME}"
  System::Call 'shell32::SHChangeNotify(i 0x08000000, i 0, p 0, p 0)'
SectionEnd
