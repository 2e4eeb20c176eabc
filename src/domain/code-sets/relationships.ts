const RELATIONSHIPS = new Set(['SPOUSE', 'PARENT', 'CHILD', 'SIBLING', 'FRIEND', 'COUSIN', 'GUARDIAN', 'OTHER']);

/** Whether the word is one of the eight relationships of the practice document, of an emergency contact or next of kin. */
export const isRelationship = (word: string): boolean => RELATIONSHIPS.has(word);
