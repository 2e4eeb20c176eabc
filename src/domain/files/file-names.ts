/** Longest name that is kept: every file system takes it, also in its longest spelling (4 bytes a character). */
const LONGEST = 60;
const LONGEST_ENDING = 12;

/** Names that mean a device on Windows, with whatever ending. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;

/**
 * A name as a person may be shown it and save a file under it: one line, no path, nothing that makes it read otherwise
 * than it is. Storage never sees it.
 */
export function harmlessFileName(sent: string): string {
  const base = sent.slice(-4_000).toWellFormed().normalize('NFC').split(/[/\\]/).at(-1) ?? '';
  const plain = base
    // Control and format characters (line breaks, changes of direction, what has no width), and those of no meaning yet.
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cn}\p{Co}]/gu, '')
    .replaceAll(/[<>:"|?*%\u{fffd}]/gu, '_')
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(/^[. ]+|[. ]+$/g, '')
    .replace(DEVICE, '_$&');
  return shorten(plain) || 'file';
}

/** The ending is kept, by which systems know what opens it. */
function shorten(name: string): string {
  const characters = [...name];
  if (characters.length <= LONGEST) return name;
  const dot = characters.lastIndexOf('.');
  const ending = dot > 0 && characters.length - dot <= LONGEST_ENDING ? characters.slice(dot) : [];
  return [...characters.slice(0, LONGEST - ending.length), ...ending].join('').trim();
}
