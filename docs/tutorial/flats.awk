# Writes a made-up table of flats to let, as CSV: awk -f flats.awk > flats.csv
# -v rows=1000      how many flats
# -v first=1        the number of the first
# -v simple=1       numbers only, of one district
# -v missing=0.05   share of the areas and districts that are left empty
# -v fraud=1        add a column fraud: four in a hundred ask too little
function uniform() { state = state * 16807 % 2147483647; return state / 2147483647 }
function normal(  i, sum) { for (i = 0; i < 12; i++) sum += uniform(); return sum - 6 }
BEGIN {
	if (!rows) rows = 1000
	if (!first) first = 1
	split("Harbour Hill Market North Oldtown", name, " ")
	split("11 14 16 9 19", price, " ") # per square metre
	split("31 28 31 30 31 30 31 31 30 31 30 31", days, " ")
	state = 7919 * first
	print (simple ? "area,rooms,floor" : "flat,district,area,rooms,floor,listed") ",rent" (fraud ? ",fraud" : "")
	for (flat = first; flat < first + rows; flat++) {
		district = 1 + int(5 * uniform())
		rooms = 1 + int(5 * uniform())
		area = 12 + 20 * rooms + 7 * normal()
		floor = int(8 * uniform())
		month = 1 + int(12 * uniform())
		day = 1 + int(days[month] * uniform())
		term = month > 7 && month < 11 # students come
		if (simple) {
			district = 2
			term = 0
		}
		rent = area * price[district] * (0.9 + 0.04 * (floor > 4 ? 8 - floor : floor)) + (term ? 120 : 0) + 50 * normal()
		cheap = uniform() < 0.04
		if (fraud && cheap) rent *= 0.75
		gap = uniform()
		size = sprintf("%.1f", area)
		where = name[district]
		if (gap < missing / 2) size = ""
		else if (gap < missing) where = ""
		line = sprintf("%s,%d,%d", size, rooms, floor)
		if (!simple) line = sprintf("F%d,%s,%s,2025-%02d-%02d", 1000 + flat, where, line, month, day)
		line = line sprintf(",%.2f", rent)
		if (fraud) line = line (cheap ? ",yes" : ",no")
		print line
	}
}
