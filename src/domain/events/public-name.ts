/** The name of a field as readers outside have it: `startsAt` is `starts_at`. */
export const publicName = (field: string): string => field.replaceAll(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
