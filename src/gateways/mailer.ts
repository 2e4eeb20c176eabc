/** The way to mailboxes. */
export interface Mailer {
  readonly name: 'local' | 'smtp';
  /**
   * Hands a mail over. The same reference again is the same mail (it becomes the Message-ID, by which mail servers know it).
   * @throws MailRefusal where it will never be taken; any other error means that trying again later may help
   */
  send(mail: OutgoingMail): Promise<{ id: string }>;
}

export interface OutgoingMail {
  /** Names the mail on our side, for ever. */
  reference: string;
  /** What the reader sees as the sender's name; the address is configuration. */
  fromName: string;
  to: string;
  subject: string;
  /** Plain text. */
  body: string;
}

/** The mail server says no, and will go on saying so. */
export class MailRefusal extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}
