/** A person's name. Many people have one name only, in either field. */
export interface PersonName {
  firstName: string | null;
  lastName: string | null;
}

/** The whole name, such as `Ada Quinn` or `Suharto`; null without any. */
export const fullName = ({ firstName, lastName }: PersonName): string | null => [firstName, lastName].filter(Boolean).join(' ') || null;

/** The name that a person is addressed by: the first name, or the only one; null without any. */
export const greetingName = ({ firstName, lastName }: PersonName): string | null => firstName || lastName || null;
