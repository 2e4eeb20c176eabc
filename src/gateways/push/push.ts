export interface Push {
  /** The application server key of subscriptions: 65 bytes of a P-256 point in base64url. */
  publicKey(): Promise<string>;
  /** Whether an endpoint may be used: one of a push service, not of a machine behind this server. */
  accepts(endpoint: string): boolean;
  /**
   * Sends a push message. It replaces one of the same topic that the device has not received yet.
   * @throws PushGone where the subscription has ended; after any other error a retry may succeed
   */
  send(push: OutgoingPush): Promise<void>;
}

/** Endpoint of a device, and the keys that only the device and this server know. */
export interface DeviceSubscription {
  endpoint: string;
  /** Both in base64url: a P-256 point, and 16 bytes. */
  keys: { p256dh: string; auth: string };
}

export interface OutgoingPush {
  to: DeviceSubscription;
  /** Up to 32 characters of base64url. */
  topic: string;
  /** Encrypted for the device. Up to 3,000 bytes. */
  payload: string;
}

/** The subscription of the device has ended. */
export class PushGone extends Error {}
