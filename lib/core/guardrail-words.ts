/** Up to two decimals; what is not nothing never reads as 0 %. */
export function percent(share: number): string {
  const rounded = Math.round(share * 10_000) / 100;
  return rounded === 0 && share > 0 ? "under 0.01 %" : `${rounded} %`;
}
