import { Prisma } from '../../generated/prisma/client.ts';

/** The comment by which a statement says that it goes over the rows of all practices, and why. */
export const allPracticesComment = (because: string): string => `/* over all practices: ${because} */`;

/**
 * Marks a statement that by its nature goes over the rows of all practices, such as that of a job which looks for what is due. All others
 * name their practice as a parameter; a test reads every statement that is sent (CONTRIBUTING.md, "Write a statement").
 */
export const overAllPractices = (because: string): Prisma.Sql => Prisma.raw(allPracticesComment(because));
