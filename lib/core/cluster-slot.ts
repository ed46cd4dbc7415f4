const POLYNOMIAL = 0x1021;
const SLOTS = 16_384;
const TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit += 1)
    crc = (crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ POLYNOMIAL;
  return crc & 0xffff;
});

/** Redis Cluster's hash slot of a key, by its hash tag if it has one: CRC-16/XMODEM mod 16384. Keys are ASCII. */
export function slotOf(key: string): number {
  let start = key.indexOf("{") + 1;
  let end = start === 0 ? -1 : key.indexOf("}", start);
  if (end <= start) {
    start = 0;
    end = key.length;
  }
  let crc = 0;
  for (let at = start; at < end; at += 1) {
    crc = ((crc << 8) ^ (TABLE[((crc >> 8) ^ key.charCodeAt(at)) & 0xff] ?? 0)) & 0xffff;
  }
  return crc % SLOTS;
}
