export interface Mailer {
  readonly name: 'local' | 'smtp';
  /**
   * Hands over a mail. A repeated reference is the same mail; it becomes the Message-ID, by which mail servers
   * recognize it.
   * @throws MailRefusal for a permanent refusal; after any other error a retry may succeed
   */
  send(mail: OutgoingMail): Promise<{ id: string }>;
  /** Signs in, and sends nothing. @throws Error where mails could not be handed over */
  check(): Promise<void>;
}

export interface OutgoingMail {
  /** Permanent name of the mail on our side. */
  reference: string;
  /** Display name of the sender; the address is configured. */
  fromName: string;
  to: string;
  subject: string;
  /** Plain text. */
  body: string;
}

/** A permanent refusal of the mail server. */
export class MailRefusal extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}
