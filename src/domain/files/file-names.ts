import { normalize } from '../values/normalize.ts';

/** Longest stored name in characters: every file system accepts it at 4 bytes a character. */
const LONGEST = 60;
const LONGEST_EXTENSION = 12;

/** Names of devices on Windows, with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;

/**
 * A name that is safe to display and to save a file under: one line, no path, no characters that disguise it, and no page: that is a
 * text. Storage does not use it.
 */
export function sanitizeFileName(sent: string): string {
  const base = normalize(sent.slice(-4_000).toWellFormed(), 'NFC').split(/[/\\]/).at(-1) ?? '';
  const plain = base
    // Control and format characters (line breaks, changes of direction, zero-width ones), and unassigned ones.
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cn}\p{Co}]/gu, '')
    .replaceAll(/[<>:"|?*%\u{fffd}]/gu, '_')
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(/^[. ]+|[. ]+$/g, '')
    .replace(DEVICE, '_$&');
  return shorten(plain).replace(PAGE, '.txt') || 'file';
}

/** Shortens a name but keeps its extension. */
function shorten(name: string): string {
  const characters = [...name];
  if (characters.length <= LONGEST) return name;
  const dot = characters.lastIndexOf('.');
  const extension = dot > 0 && characters.length - dot <= LONGEST_EXTENSION ? characters.slice(dot) : [];
  return [...characters.slice(0, LONGEST - extension.length), ...extension].join('').trim();
}

/** Endings of names that a computer runs when the file is opened, whatever its content. */
const RUN_WHEN_OPENED =
  /\.(?:app|bat|cmd|com|command|cpl|desktop|dmg|exe|hta|jar|apk|jse?|lnk|ms[cip]|pif|pkg|ps1|psm1|reg|scr|sh|url|vb[es]|ws[fh])$/i;

/** Endings of documents with macros, which a program of an office runs when they are opened. */
const WITH_MACROS = /\.(?:(?:doc|dot|xls|xlt|xla|ppt|pot|ppa|pps|sld)m|xlsb|xll)$/i;

/** Endings of pages, whose scripts a browser runs when the saved file is opened. */
const PAGE = /\.(?:[xs]?html?|xht|svgz?|mht(?:ml)?)$/i;

/** Whether a computer runs a file of this name when somebody opens it. @param name as sanitizeFileName returns it */
export const isNameOfProgram = (name: string): boolean => RUN_WHEN_OPENED.test(name) || WITH_MACROS.test(name);
