/** Ten segments of GSM-7, the limit of carriers. */
export const MAX_TEXT_LENGTH = 1_600;

/** Segments of a text: carriers send, and charge, by the segment. */
export interface SegmentCount {
  /** 0 for an empty text. */
  segments: number;
  /** GSM-7 unless the text has a character outside of it; one such character makes the whole text UCS-2. */
  encoding: 'GSM-7' | 'UCS-2';
}

/** 3GPP TS 23.038: the basic character set. The extension characters below take an escape and count twice. */
const BASIC = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
);
const EXTENDED = new Set('\f^{}\\[~]|€');

/** Characters of a single-segment text, and of each segment of a longer one, where a header takes some. */
const SEGMENT_SIZES = { 'GSM-7': { alone: 160, joined: 153 }, 'UCS-2': { alone: 70, joined: 67 } } as const;

export function countSegments(text: string): SegmentCount {
  const characters = [...text];
  const isGsm = characters.every((character) => BASIC.has(character) || EXTENDED.has(character));
  const encoding = isGsm ? 'GSM-7' : 'UCS-2';
  const places = characters.map((character) => (isGsm ? (BASIC.has(character) ? 1 : 2) : character.length));
  const { alone, joined } = SEGMENT_SIZES[encoding];
  const all = places.reduce((sum, one) => sum + one, 0);
  if (all <= alone) return { segments: Math.min(all, 1), encoding };
  return { segments: countJoinedSegments(places, joined), encoding };
}

/** A two-unit character is never split: if only one unit is left, it starts the next segment. */
function countJoinedSegments(places: number[], size: number): number {
  let segments = 1;
  let used = 0;
  for (const one of places) {
    if (used + one > size) {
      segments += 1;
      used = 0;
    }
    used += one;
  }
  return segments;
}
