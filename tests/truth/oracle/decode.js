// Reads histograms from their base64 form, one a line on stdin, and prints what an HdrHistogram library of others says about each.
'use strict';
const hdr = require(process.argv[2]);
const lines = require('fs').readFileSync(0, 'utf8').split('\n').filter((line) => line !== '');
const figures = lines.map((line) => {
  const histogram = hdr.decodeFromCompressedBase64(line, 64, false);
  const at = {};
  for (const percent of [0, 10, 25, 50, 75, 90, 95, 99, 99.9, 99.99, 100]) at[percent] = histogram.getValueAtPercentile(percent);
  return {count: histogram.totalCount, min: histogram.minNonZeroValue, max: histogram.maxValue, mean: histogram.mean, at};
});
console.log(JSON.stringify(figures));
