package krr

// readCalibration reads the calibration of that many classes. Files of before
// there was a floor have none: 0.
func (p *parsed) readCalibration(classes int) (*calibration, error) {
	if classes == 0 {
		return nil, p.Bad("a regression has no probabilities")
	}
	slope, err := p.Vector("calibration.slope", -1)
	if err != nil {
		return nil, err
	}
	bias, err := p.Vector("calibration.bias", classes)
	if err != nil {
		return nil, err
	}
	floor := []float64{0}
	if !p.isFirst() {
		if floor, err = p.Vector("calibration.floor", 1); err != nil {
			return nil, err
		}
	}
	if len(slope) != 1 && (len(slope) != classes || classes == 2) {
		return nil, p.Bad("it has %d slopes for the probabilities of %d classes", len(slope), classes)
	}
	for _, x := range [][]float64{slope, bias} {
		for _, v := range x {
			if v-v != 0 {
				return nil, p.Bad("its calibration is not finite")
			}
		}
	}
	if !(floor[0] >= 0 && floor[0] <= 1/float64(classes)) {
		return nil, p.Bad("its least probability is %g", floor[0])
	}
	return &calibration{slope, bias, floor[0]}, nil
}
