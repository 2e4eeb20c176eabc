/** The way to browsers and devices that are not connected just now. */
export interface Push {
  /** What a device subscribes with: 65 bytes of a P-256 key in base64url. */
  publicKey(): Promise<string>;
  /** Whether something may be sent to this address at all: of a push service, and of no machine behind this server. */
  accepts(endpoint: string): boolean;
  /**
   * Hands a push over. One under the same topic takes the place of one that the device has not received yet.
   * @throws PushGone where the device is not subscribed any more; any other error means that trying again later may help
   */
  send(push: OutgoingPush): Promise<void>;
}

/** Where a device is reached, and the keys that only it and this server know. */
export interface DeviceSubscription {
  endpoint: string;
  /** Both in base64url: a point of P-256, and 16 bytes. */
  keys: { p256dh: string; auth: string };
}

export interface OutgoingPush {
  to: DeviceSubscription;
  /** Up to 32 characters of base64url. */
  topic: string;
  /** Only the device can read it. Up to 3,000 bytes. */
  payload: string;
}

/** The device is not subscribed any more. */
export class PushGone extends Error {}
