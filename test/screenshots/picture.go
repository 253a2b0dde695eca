package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"slices"

	"github.com/chromedp/chromedp"
)

// picture takes what README begins with: home, while agents work and one thing waits for
// the reader.
func (c *camera) picture(ctx context.Context, h stage) error {
	if _, err := c.working(ctx, h); err != nil {
		return err
	}
	var files error
	for scheme, name := range map[string]string{"light": "picture.png", "dark": "picture-dark.png"} {
		if err := c.look(shot{1440, 960, scheme}); err != nil {
			return err
		}
		taken, err := chromedp.Run(c.ctx, chromedp.CaptureScreenshot())
		if err != nil {
			return err
		}
		file := filepath.Join(c.folder, name)
		files = errors.Join(files, writeSmall(file, taken))
		fmt.Println(file)
	}
	return files
}

// writeSmall writes a picture with its 256 most frequent colours: a page has few of them, and
// the file becomes a third as large.
func writeSmall(file string, taken []byte) error {
	whole, err := png.Decode(bytes.NewReader(taken))
	if err != nil {
		return err
	}
	small := image.NewPaletted(whole.Bounds(), frequent(whole, 256))
	draw.Draw(small, small.Bounds(), whole, whole.Bounds().Min, draw.Src)
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(&out, small); err != nil {
		return err
	}
	return os.WriteFile(file, out.Bytes(), 0o644)
}

// frequent are the colours that most of a picture has. Of those that nobody can tell apart
// only one is taken, so that rare ones have room.
func frequent(p image.Image, most int) color.Palette {
	type shade [3]uint8
	count, near := map[color.RGBA]int{}, map[shade]color.RGBA{}
	for y := p.Bounds().Min.Y; y < p.Bounds().Max.Y; y++ {
		for x := p.Bounds().Min.X; x < p.Bounds().Max.X; x++ {
			count[color.RGBAModel.Convert(p.At(x, y)).(color.RGBA)]++
		}
	}
	sum := map[shade]int{}
	for c, n := range count {
		s := shade{c.R >> 2, c.G >> 2, c.B >> 2}
		sum[s] += n
		if n > count[near[s]] {
			near[s] = c
		}
	}
	var shades []shade
	for s := range sum {
		shades = append(shades, s)
	}
	slices.SortFunc(shades, func(a, b shade) int { return cmp.Or(sum[b]-sum[a], slices.Compare(a[:], b[:])) })
	var palette color.Palette
	for _, s := range shades[:min(most, len(shades))] {
		palette = append(palette, near[s])
	}
	return palette
}
