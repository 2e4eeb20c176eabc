/** Whether this is `npm run test:slow -- upkeep`, which tries in all its ways what `operation` has the main story of. */
export const isUpkeep = process.env.UPKEEP === 'true';
