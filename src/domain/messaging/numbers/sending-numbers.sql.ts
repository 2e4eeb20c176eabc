/** The condition that a practice texts from a number. @param number alias of the table */
export const textsFrom = (number: string): string =>
  `${number}.kind = 'plain' AND ${number}.released_at IS NULL AND ${number}.carrier_id IS NOT NULL`;

/** The condition that carriers take texts from a number, as far as is known. @param number alias of the table */
export const mayText = (number: string): string => `${number}.registration NOT IN ('unregistered', 'pending')`;
