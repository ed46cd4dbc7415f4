/** One request in flight, as one concurrency rule counts it. */
export type Lease = {
  /** Of the bucket. */
  key: string;
  slot: number;
  /** The check's. */
  leaseId: string;
  /** How long it lasts after it was last renewed. */
  leaseSeconds: number;
};
