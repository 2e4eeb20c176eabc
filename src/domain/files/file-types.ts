/** Signatures of file types are within this many bytes at the start. */
const HEAD_BYTES = 16 * 1024;
const UNKNOWN = 'application/octet-stream';
const DOS_PROGRAM = 'application/x-msdownload';
const SHELL_SCRIPT = 'text/x-shellscript';
const WINDOWS_INSTALLER = 'application/x-msi';
const PROGRAM_PACKAGE = 'application/x-program-package';
/** The format of installers for Windows, and of Word documents and Excel tables of before 2007. */
const COMPOUND_FILE = 'application/x-cfb';

/** Files that a computer or a telephone runs, or installs, when they are opened. */
const PROGRAMS = new Set([
  DOS_PROGRAM,
  SHELL_SCRIPT,
  WINDOWS_INSTALLER,
  'application/x-elf',
  'application/x-mach-binary',
  'application/java-vm',
  'application/java-archive',
  'application/vnd.android.package-archive',
  'application/wasm',
  'application/x-deb',
  'application/x-rpm',
  'application/x-apple-diskimage',
  'application/x-google-chrome-extension',
  'application/x-xpinstall',
  'application/x-ms-shortcut',
  'application/x-ft-apple.alias',
  'application/vnd.ms-htmlhelp',
  PROGRAM_PACKAGE,
]);

/** Also a document with macros. @param mediaType as it was detected from the content */
export const isProgram = (mediaType: string): boolean => PROGRAMS.has(mediaType) || mediaType.includes('.macroenabled.');

/** Detects the media type of a stream from its content; its name and its declared type are ignored. */
export interface TypeDetector {
  add(chunk: Buffer): void;
  /** The media type; called after the last chunk. */
  detect(): Promise<string>;
}

export function createTypeDetector(): TypeDetector {
  const head: Buffer[] = [];
  let headLength = 0;
  const text = createTextDetector();
  const installer = createInstallerDetector();
  return {
    add(chunk) {
      text.add(chunk);
      installer.add(chunk);
      if (headLength >= HEAD_BYTES) return;
      // A copy: the chunk is part of a larger buffer, which it would keep in memory.
      const piece = Buffer.from(chunk.subarray(0, HEAD_BYTES - headLength));
      head.push(piece);
      headLength += piece.length;
    },
    async detect() {
      const beginning = Buffer.concat(head, headLength);
      const { fileTypeFromBuffer } = await import('file-type');
      // The library may fail on truncated or malformed content.
      const known = await fileTypeFromBuffer(beginning).catch(() => undefined);
      const isText = headLength > 0 && text.isText();
      if (known?.mime === COMPOUND_FILE && installer.isInstaller()) return WINDOWS_INSTALLER;
      if (PACKAGES.some((begins) => begins.test(beginning.toString('latin1')))) return PROGRAM_PACKAGE;
      // The signature of programs for DOS and Windows is two letters, with which a text may begin too.
      if (known && !(known.mime === DOS_PROGRAM && isText)) return known.mime;
      if (!isText) return UNKNOWN;
      return SCRIPT.test(beginning.toString('latin1')) ? SHELL_SCRIPT : textType(beginning.toString('utf8'), headLength < HEAD_BYTES);
    },
  };
}

/**
 * The first line of a script names its interpreter; one for Windows turns off that its lines are shown. A shortcut of Windows or of a
 * Linux desktop is a text with a heading.
 */
const SCRIPT = /^(?:\u{ef}\u{bb}\u{bf})?\s*(?:#! ?\/|@echo off\b|\[InternetShortcut\]|\[Desktop Entry\])/iu;

/**
 * Beginnings of packages that install or run something: of macOS (xar, compiled AppleScript), Android (dex), Windows (help with programs,
 * a script in UTF-16, an archive with the manifest of an app) and iOS.
 */
const PACKAGES = [
  /^xar!/,
  /^FasdUAS/,
  /^dex\n0\d\d/,
  /^ITSF/,
  /^\xff\xfe@\0e\0c\0h\0o\0 \0o\0f\0f\0/i,
  /^PK\W\W[\s\S]*?(?:AppxManifest\.xml|AppxBlockMap\.xml|Payload\/[^/]{1,80}\.app\/)/,
];

/** The identifier of the class of Windows' installers, in whichever of their sectors it is. */
const INSTALLER_CLASS = Buffer.from('84100c0000000000c000000000000046', 'hex');

function createInstallerDetector(): { add(chunk: Buffer): void; isInstaller(): boolean } {
  let end = Buffer.alloc(0);
  let isFound = false;
  return {
    add(chunk) {
      if (isFound) return;
      const searched = Buffer.concat([end, chunk]);
      isFound = searched.includes(INSTALLER_CLASS);
      end = Buffer.from(searched.subarray(-INSTALLER_CLASS.length + 1));
    },
    isInstaller: () => isFound,
  };
}

/** Tells whether all chunks together are text in UTF-8. */
function createTextDetector(): { add(chunk: Buffer): void; isText(): boolean } {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let isText = true;
  const read = (chunk?: Buffer) => {
    try {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters never occur in text
      isText &&= !/[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f]/.test(chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode());
    } catch {
      isText = false;
    }
  };
  return {
    add: read,
    isText() {
      read();
      return isText;
    },
  };
}

const TABLES = [
  [',', 'text/csv'],
  [';', 'text/csv'],
  ['\t', 'text/tab-separated-values'],
] as const;

/** Text is a table if all its rows have the same number of fields, and more than one. */
function textType(beginning: string, isWhole: boolean): string {
  const lines = beginning.split(/\r?\n/);
  const rows = (isWhole ? lines : lines.slice(0, -1)).filter((line) => line !== '').slice(0, 20);
  const table = TABLES.find(([separator]) => {
    const counts = new Set(rows.map((row) => separators(row, separator)));
    return rows.length > 1 && counts.size === 1 && !counts.has(0);
  });
  return table?.[1] ?? 'text/plain';
}

/** The number of separators outside of quotes. */
const separators = (row: string, separator: string): number => row.replaceAll(/"(?:[^"]|"")*"/g, '').split(separator).length - 1;
